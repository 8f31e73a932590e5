import type { Type } from 'avsc';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { frame, HEADER_BYTES } from '../../../processors/decode/wire-format.ts';
import { unitOf } from '../../../processors/model/unit.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import type { ImportTarget } from '../../access/import-target.ts';
import type { FramedRecord } from '../../access/record-frames.ts';

/** Name of the schema of rollout.steps in the registry. */
const SUBJECT = 'rollout.steps-value';

/** Events as records of rollout.steps: the value in the registry's schema, the key that of their unit. */
export interface StepEncoder {
  /** A sound event. */
  recordOf(event: StepEventInit): FramedRecord;
  /** Of an event that came as Avro of the very schema: the bytes as they are. */
  recordOfBytes(event: StepEvent, avro: Buffer): FramedRecord;
}

export const stepEventType: Type = avroTypeOf(stepEventSchema);

/** Resolves once the schema is registered; an outage of the registry is asked again the next time. */
export function createOpenStepEncoder(target: Pick<ImportTarget, 'register'>): () => Promise<StepEncoder> {
  let opened: Promise<StepEncoder> | null = null;
  return function openStepEncoder() {
    opened ??= target.register(SUBJECT, stepEventSchema).then(stepEncoder);
    const opening = opened;
    opening.catch(() => {
      if (opened === opening) opened = null;
    });
    return opening;
  };
}

function stepEncoder(schemaId: number): StepEncoder {
  const header = frame(schemaId, avroTypeOf('null'), null);
  return {
    recordOf(event) {
      const { run_id, epoch = 0, group_id = null, rollout_id } = event;
      const key = unitOf({ run_id, epoch, group_id, rollout_id });
      return { key, headers: {}, value: frame(schemaId, stepEventType, event) };
    },
    recordOfBytes: (event, avro) => ({
      ...{ key: unitOf(event), headers: {} },
      value: Buffer.concat([header, avro], HEADER_BYTES + avro.length),
    }),
  };
}
