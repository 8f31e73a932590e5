import fc from 'fast-check';
import { type StepEvent, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { schemaArbitrary } from '../schema-arbitrary.ts';
import { stepEventOf } from './sample-rows.ts';

const KINDS = ['start', 'model_call', 'message', 'tool_result', 'phase', 'verdict', 'end', 'control'] as const;

/** Any event: of its eight records the one that its kind names is set. */
const events: fc.Arbitrary<StepEvent> = fc
  .tuple(schemaArbitrary(stepEventSchema), fc.constantFrom(...KINDS))
  .map(([value, kind]) => {
    const event = stepEventOf(value);
    event.kind = kind;
    for (const other of KINDS) if (other !== kind) event[other] = null;
    return event;
  })
  .filter((event) => event[event.kind === 'unknown' ? 'start' : event.kind] !== null);

export function sampleEvents({ count, seed }: { count: number; seed: number }): StepEvent[] {
  return fc.sample(events, { numRuns: count, seed });
}
