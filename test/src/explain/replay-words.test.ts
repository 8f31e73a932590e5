import { expect, it } from 'vitest';
import type { ReplayedJson } from '../../../src/access/replayed-json.ts';
import { replayWords } from '../../../src/explain/replay-words.ts';

const LIVE = {
  disposition: 'train',
  why: ['task_complete'],
  reason_code: 'task_complete',
  reward: 1,
  reward_valid: true,
  advantage: 0.123456,
};
const DECIDED = {
  ...LIVE,
  ...{ category: 'completion', why: ['task_complete'], policy_id: '0123456789abcdef', taxonomy_id: 't' },
  ...{ scorers: [], emitted_to: '' },
};
const replayed = (over: Partial<typeof DECIDED>): ReplayedJson => ({
  ...{ replay_id: 'r-1', label: '', ended_at: '2026-01-02 03:04:05.000', latest: false },
  decision: { ...DECIDED, ...over },
});

it('what is as before, and what is not', () => {
  expect(replayWords(replayed({}), LIVE)).toBe('r-1: as before (train, reward 1), under policy 0123456789ab');
  expect(
    replayWords(
      replayed({ disposition: 'drop', why: ['infra', 'oom'], reason_code: 'oom', reward: 0, advantage: -0.5 }),
      LIVE,
    ),
  ).toBe(
    'r-1: train → drop because infra, oom, reason task_complete → oom, reward 1 → 0, advantage 0.1235 → -0.5, under policy 0123456789ab',
  );
});

it('a reward that is not valid is none, and none is not 0', () => {
  expect(replayWords(replayed({ reward: 1, reward_valid: false }), { ...LIVE, reward: 0 })).toBe(
    'r-1: reward 0 → null, under policy 0123456789ab',
  );
});

it('what was not decided live has nothing to compare with', () => {
  expect(replayWords(replayed({}), null)).toBe('r-1: train for task_complete, reward 1, under policy 0123456789ab');
});
