import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import type { Decoded } from '../../processors/model/record.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { createSampleSteps } from './sample-steps.ts';

/** Events as the decoder leaves them: read back from their own bytes. */
export function decodedSteps(
  seed: string,
  count: number,
  next: () => StepEventInit = createSampleSteps(seed),
): Decoded[] {
  const type = avroTypeOf(stepEventSchema);
  return Array.from({ length: count }, (_, offset) => {
    const event: StepEvent = type.fromBuffer(type.toBuffer(next()));
    return { unit: unitOf(event), event, cause: { offset, appendedAtMs: 1_772_442_000_000 + offset } };
  });
}
