import { calculate, TICKETS } from '../tasks/calculator.ts';
import { type EventCase, MORNING_MS, scored } from './trails.ts';

/** A run of purpose eval: scored like any other, never trained on. */
export const EVAL_CASES: readonly EventCase[] = [
  {
    task: TICKETS,
    plan: {
      runId: 'calculator-eval',
      purpose: 'eval',
      envName: 'calculator',
      rolloutId: 'tickets-3_0',
      startMs: MORNING_MS + 600_000,
      weights: [[0, 0, 'step-182']],
      end: { raw: 'task_complete', system: 'strands-env' },
      after: [scored(1, 1, 1)],
    },
    script: [
      { think: 'Two products and a sum.', calls: [calculate('48 * 12 + 31 * 7.50', '808.5')] },
      { think: 'That is the takings.', say: 'The museum took 808.50 euros.\n\nANSWER: 808.5' },
    ],
  },
];
