import { CHANGELOG, CHANGES_MD, crashed, read, write } from '../tasks/files.ts';
import { COMPLETE, MOVED, NOTES_MEMBER, NOTES_START_MS } from './release-notes.ts';
import { CLEANUP, type EventCase, SETUP, scored, VERIFY } from './trails.ts';

const CRASH = {
  raw: 'SandboxError',
  system: 'verifiers',
  exception: { type: 'SandboxError', message: 'container exited with code 137' },
} as const;

/** Rollouts of the same group that were tried more than once. */
export const NOTES_AGAIN_CASES: readonly EventCase[] = [
  {
    // Its worker went silent, and the scheduler did not wait: attempt 1 fences it off.
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_6',
      startMs: NOTES_START_MS + 5_000,
      before: { 0: [SETUP] },
      end: null,
    },
    script: [{ think: 'First the file.', calls: [read('CHANGELOG.md', CHANGES_MD)] }],
  },
  {
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_6',
      attempt: 1,
      startMs: NOTES_START_MS + 45_000,
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, CLEANUP, scored(1, 5, 5)],
    },
    script: [
      { think: 'Get the text.', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'Insert a heading above the entries.', calls: [write('CHANGELOG.md', MOVED)] },
      { think: 'That was it.', say: 'The entries are in 1.4.0.' },
    ],
  },
  ...['Read the changelog.', 'I open CHANGELOG.md first.', 'The changelog, please.'].map(
    (think, attempt): EventCase => ({
      task: CHANGELOG,
      plan: {
        ...NOTES_MEMBER,
        rolloutId: 'release-notes_7',
        attempt,
        startMs: NOTES_START_MS + 6_000 + attempt * 20_000,
        before: { 0: [SETUP] },
        end: CRASH,
      },
      script: [{ think, calls: [crashed('CHANGELOG.md', 2_600)] }],
    }),
  ),
];
