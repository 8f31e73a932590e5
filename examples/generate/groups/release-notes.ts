import { CHANGELOG, CHANGES_MD, read, write } from '../tasks/files.ts';
import { CLEANUP, type EventCase, FILES_RUN, MORNING_MS, SETUP, scored, VERIFY } from './trails.ts';

export const NOTES_MEMBER = { ...FILES_RUN, groupId: 'release-notes', weights: [[0, 0, 'step-182']] } as const;
export const NOTES_START_MS = MORNING_MS + 120_000;
export const COMPLETE = { raw: 'task_complete', system: 'strands-env' } as const;

export const MOVED = '# Changes\n\n## Unreleased\n\n## 1.4.0\n- faster start\n- fix: empty paths\n';

/** A group of unknown size: its members pass as they finish. What went wrong here, the other formats cannot say. */
export const NOTES_CASES: readonly EventCase[] = [
  {
    // The engine threw the last call away to load new weights; the loop took what it got for the final answer.
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_0',
      startMs: NOTES_START_MS,
      before: { 0: [SETUP] },
      lastFinish: { type: 'abort', message: 'Abort in update_weights', status_code: null, err_type: null },
      end: COMPLETE,
      after: [VERIFY, CLEANUP, scored(1, 5, 5)],
    },
    script: [
      { think: 'Read the changelog.', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'Keep the empty heading.', calls: [write('CHANGELOG.md', MOVED)] },
      { think: 'Both entries are under 1.4.0 now, and', say: 'The entries', keepTokens: 13 },
    ],
  },
  {
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_1',
      startMs: NOTES_START_MS + 700,
      before: { 0: [SETUP] },
      end: null,
    },
    script: [
      { think: 'What is in it?', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'Move both lines down.', calls: [write('CHANGELOG.md', MOVED)] },
    ],
  },
  {
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_2',
      startMs: NOTES_START_MS + 1_500,
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [
        { phase: 'verify', ms: 30_000, detail: 'compare workspace' },
        CLEANUP,
        { verdict: 'timeout', report: { limit_s: 30 } },
      ],
    },
    script: [
      { think: 'Start with the file.', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'A new section below Unreleased.', calls: [write('CHANGELOG.md', MOVED)] },
      { think: 'Finished.', say: 'CHANGELOG.md has a section 1.4.0 with both entries.' },
    ],
  },
  {
    // Nine of ten minutes passed in the rate limiter and in a tool on a slow disk: not the policy's doing.
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_3',
      startMs: NOTES_START_MS + 2_400,
      limits: { max_wall_us: 600_000_000 },
      before: { 0: [SETUP], 1: [{ phase: 'rate_limit', ms: 213_500, detail: '429, five retries' }] },
      end: {
        raw: 'timeout',
        system: 'strands-env',
        limit: { kind: 'wall_clock', limit: 600_000_000, used: 600_977_000 },
      },
      after: [VERIFY, CLEANUP, scored(0, 2, 5)],
    },
    script: [
      { think: 'Let me read it.', calls: [read('CHANGELOG.md', CHANGES_MD, 383_000)] },
      { think: 'That took long. Write the new version.', calls: [write('CHANGELOG.md', MOVED, 900)] },
    ],
  },
  {
    // A second user message: the template drops the thoughts of earlier turns, so the prompt no longer extends them.
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_4',
      startMs: NOTES_START_MS + 3_300,
      before: { 0: [SETUP] },
      end: COMPLETE,
      after: [VERIFY, CLEANUP, scored(1, 5, 5)],
    },
    script: [
      { think: 'I need the current text.', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'Shall the heading stay? Ask.', say: 'Should an empty "Unreleased" section stay at the top?' },
      {
        user: 'Yes, keep it.',
        think: 'Then both entries go below a new heading.',
        calls: [write('CHANGELOG.md', MOVED)],
      },
      { think: 'Done.', say: 'Done: "Unreleased" is empty and 1.4.0 holds both entries.' },
    ],
  },
  {
    task: CHANGELOG,
    plan: {
      ...NOTES_MEMBER,
      rolloutId: 'release-notes_5',
      startMs: NOTES_START_MS + 4_100,
      limits: { max_turns: 3 },
      before: { 0: [SETUP] },
      end: { raw: 'max_turns_reached', system: 'verifiers', limit: { kind: 'turns', limit: 3, used: 3 } },
      after: [VERIFY, CLEANUP, scored(0.4, 2, 5)],
    },
    script: [
      { think: 'Is there a changelog?', calls: [read('CHANGES.md', 'no such file')] },
      { think: 'Other name.', calls: [read('CHANGELOG.md', CHANGES_MD)] },
      { think: 'Start with the heading.', calls: [write('CHANGELOG.md', `${CHANGES_MD}\n## 1.4.0\n`)] },
    ],
  },
];
