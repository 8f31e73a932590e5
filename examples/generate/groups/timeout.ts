import { APP_TOML, crashed, read, TIMEOUT, write } from '../tasks/files.ts';
import { CLEANUP, type EventCase, FILES_RUN, MORNING_MS, SETUP, scored, VERIFY } from './trails.ts';

const MEMBER = { ...FILES_RUN, groupId: 'raise-timeout', groupSize: 4, weights: [[0, 0, 'step-181']] } as const;
const COMPLETE = { raw: 'task_complete', system: 'strands-env' } as const;
const START_MS = MORNING_MS + 60_000;

const RIGHT = '[server]\nport = 8080\ntimeout_s = 45  # ops: keep under 60\n';

/** A group of four, of which one lost its sandbox and was not run again: the other three are its baseline. */
export const TIMEOUT_CASES: readonly EventCase[] = [
  {
    task: TIMEOUT,
    plan: {
      ...MEMBER,
      rolloutId: 'raise-timeout_0',
      startMs: START_MS,
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, scored(1, 3, 3), CLEANUP],
    },
    script: [
      { think: 'Open the file.', calls: [read('app.toml', APP_TOML)] },
      { think: 'Only the number changes, the comment stays.', calls: [write('app.toml', RIGHT)] },
      { think: 'Nothing else to do.', say: 'timeout_s is 45 now.' },
    ],
  },
  {
    task: TIMEOUT,
    plan: {
      ...MEMBER,
      rolloutId: 'raise-timeout_1',
      startMs: START_MS + 900,
      before: { 0: [SETUP] },
      end: {
        raw: 'SandboxError',
        system: 'verifiers',
        exception: { type: 'SandboxError', message: 'container exited with code 137' },
      },
    },
    script: [{ think: 'Read before I write.', calls: [crashed('app.toml', 3_300)] }],
  },
  {
    task: TIMEOUT,
    plan: {
      ...MEMBER,
      rolloutId: 'raise-timeout_2',
      startMs: START_MS + 1_700,
      before: { 0: [SETUP, { phase: 'queue', ms: 640, detail: 'engine is full' }] },
      end: COMPLETE,
      after: [VERIFY, scored(1, 3, 3), CLEANUP],
    },
    script: [
      { think: 'See what is there.', calls: [read('app.toml', APP_TOML)] },
      { think: 'Replace 30 by 45.', calls: [write('app.toml', RIGHT)] },
      { think: 'Let me check the result.', calls: [read('app.toml', RIGHT)] },
      { think: 'As intended.', say: 'I raised timeout_s to 45 and left the rest as it was.' },
    ],
  },
  {
    task: TIMEOUT,
    plan: {
      ...MEMBER,
      rolloutId: 'raise-timeout_3',
      startMs: START_MS + 2_600,
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, scored(0, 2, 3), CLEANUP],
    },
    script: [
      { think: 'It is a small file.', calls: [read('app.toml', APP_TOML)] },
      {
        think: 'Write it anew, without clutter.',
        calls: [write('app.toml', '[server]\nport = 8080\ntimeout_s = 45\n')],
      },
      { think: 'Clean.', say: 'app.toml is updated, timeout_s = 45.' },
    ],
  },
];
