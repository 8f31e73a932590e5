import { CHANGE, calculate } from '../tasks/calculator.ts';
import { type EventCase, MORNING_MS, scored } from './trails.ts';

export const CALCULATOR_RUN = {
  runId: 'calculator-events',
  envName: 'calculator',
  weights: [[0, 0, 'step-182']],
} as const;
export const COMPLETE = { raw: 'task_complete', system: 'strands-env' } as const;

const MEMBER = { ...CALCULATOR_RUN, groupId: 'change-20', groupSize: 3 } as const;
const START_MS = MORNING_MS + 900_000;

/** A group of three that is complete and all right: without spread there is nothing to learn from it. */
export const CHANGE_CASES: readonly EventCase[] = [
  {
    task: CHANGE,
    plan: { ...MEMBER, rolloutId: 'change-20_0', startMs: START_MS, end: COMPLETE, after: [scored(1, 1, 1)] },
    script: [
      { think: 'A loaf and two rolls, off twenty.', calls: [calculate('20 - (3.40 + 2 * 0.55)', '15.5')] },
      { think: 'That is all.', say: 'The change is 15.50 euros.\n\nANSWER: 15.5' },
    ],
  },
  {
    task: CHANGE,
    plan: { ...MEMBER, rolloutId: 'change-20_1', startMs: START_MS + 350, end: COMPLETE, after: [scored(1, 1, 1)] },
    script: [
      { think: 'First what it costs.', calls: [calculate('3.40 + 2 * 0.55', '4.5')] },
      { think: 'Then the change.', calls: [calculate('20 - 4.5', '15.5')] },
      { think: 'Done.', say: 'It costs 4.50 euros, so 15.50 come back.\n\nANSWER: 15.5' },
    ],
  },
  {
    task: CHANGE,
    plan: { ...MEMBER, rolloutId: 'change-20_2', startMs: START_MS + 720, end: COMPLETE, after: [scored(1, 1, 1)] },
    script: [
      { think: 'Take one after the other off.', calls: [calculate('20 - 3.40 - 0.55 - 0.55', '15.5')] },
      { think: 'So it is.', say: '15.50 euros.\n\nANSWER: 15.5' },
    ],
  },
];
