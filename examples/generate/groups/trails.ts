import type { Script } from '../script/script.ts';
import type { Task } from '../script/task.ts';
import { read, TRAILS, TRAILS_CSV, write } from '../tasks/files.ts';
import type { AttemptPlan, PhasePlan, VerdictPlan } from '../write/step-events.ts';

export interface EventCase {
  readonly task: Task;
  readonly plan: AttemptPlan;
  readonly script: Script;
  /** The event of this number was sent twice: an answer got lost. */
  readonly sentTwice?: number;
}

export const FILES_RUN = { runId: 'files-events', envName: 'file-desk' } as const;

/** 2 March 2026, 09:00 UTC. */
export const MORNING_MS = Date.UTC(2026, 2, 2, 9);

export const SETUP: PhasePlan = { phase: 'sandbox_setup', ms: 2_140, detail: 'pull workspace image' };
export const VERIFY: PhasePlan = { phase: 'verify', ms: 310, detail: 'compare workspace' };
export const CLEANUP: PhasePlan = { phase: 'cleanup', ms: 95, detail: 'remove container' };

export function scored(reward: number, matched: number, of: number): VerdictPlan {
  return { verdict: 'scored', reward, report: { matched, of } };
}

const MEMBER = { ...FILES_RUN, groupId: 'trails-to-km', groupSize: 4 } as const;
const COMPLETE = { raw: 'task_complete', system: 'strands-env' } as const;
const RIGHT = 'name,km\nRidge,8.0\nLake,20.0\nSummit,14.0\n';

/** A group of four that is complete: 1, 0.5, 0 and 0. */
export const TRAILS_CASES: readonly EventCase[] = [
  {
    task: TRAILS,
    plan: {
      ...MEMBER,
      rolloutId: 'trails-to-km_0',
      startMs: MORNING_MS,
      // New weights were loaded while its second turn was being sampled.
      weights: [
        [0, 0, 'step-180'],
        [1, 24, 'step-181'],
      ],
      before: { 0: [SETUP], 1: [{ phase: 'weight_sync', ms: 420, detail: 'step-181' }] },
      end: COMPLETE,
      after: [
        VERIFY,
        scored(1, 3, 3),
        {
          phase: 'cleanup',
          ms: 5_000,
          detail: 'remove container',
          error: { type: 'CleanupError', message: 'container is still busy after 5 s' },
        },
      ],
    },
    script: [
      { think: 'Read the source first.', calls: [read('trails.csv', TRAILS_CSV)] },
      {
        think: 'Times 1.609344: 5.0 is 8.05, so 8.0. 12.4 is 19.96, so 20.0. 8.7 is 14.00.',
        calls: [write('trails_km.csv', RIGHT)],
      },
      { think: 'Written.', say: 'trails_km.csv has the three trails in km, with one decimal.' },
    ],
  },
  {
    task: TRAILS,
    sentTwice: 3,
    plan: {
      ...MEMBER,
      rolloutId: 'trails-to-km_1',
      startMs: MORNING_MS + 1_130,
      weights: [[0, 0, 'step-180']],
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, scored(0.5, 2, 3), CLEANUP],
    },
    script: [
      { think: 'What does the file hold?', calls: [read('trails.csv', TRAILS_CSV)] },
      {
        think: '5 miles are 8.0, 12.4 are 19.9, 8.7 are 14.0.',
        calls: [write('trails_km.csv', 'name,km\nRidge,8.0\nLake,19.9\nSummit,14.0\n')],
      },
      { think: 'All three are there.', say: 'Done: trails_km.csv is written.' },
    ],
  },
  {
    task: TRAILS,
    plan: {
      ...MEMBER,
      rolloutId: 'trails-to-km_2',
      startMs: MORNING_MS + 2_410,
      weights: [[0, 0, 'step-180']],
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, scored(0, 0, 3), CLEANUP],
    },
    script: [
      { think: 'Read, then convert.', calls: [read('trails.csv', TRAILS_CSV)] },
      {
        think: 'A mile is about one and a half km.',
        calls: [write('trails_km.csv', 'name,km\nRidge,7.5\nLake,18.6\nSummit,13.1\n')],
      },
      { think: 'Good enough.', say: 'I wrote trails_km.csv with the lengths in km.' },
    ],
  },
  {
    task: TRAILS,
    plan: {
      ...MEMBER,
      rolloutId: 'trails-to-km_3',
      startMs: MORNING_MS + 9_020,
      limits: { max_tokens: 400, max_turns: 8 },
      weights: [[0, 0, 'step-180']],
      before: { 0: [SETUP] },
      lastFinish: { type: 'length', length: 69 },
      end: { raw: 'max_tokens_reached', system: 'strands-env', limit: { kind: 'tokens', limit: 400, used: 400 } },
      after: [VERIFY, CLEANUP, scored(0, 0, 3)],
    },
    script: [
      { think: 'Look at the rows.', calls: [read('trails.csv', TRAILS_CSV)] },
      {
        think:
          'A mile has 5280 feet, a foot has 12 inches, an inch has 2.54 cm. So a mile is 5280 times 12 times 2.54 cm, that is 63360 inches, times 2.54 is 160934.4 cm, so 1.609344 km. Now 5.0 times 1.609344. 5 times 1.6 is 8, 5 times 0.009344 is 0.04672',
        keepTokens: 69,
      },
    ],
  },
];
