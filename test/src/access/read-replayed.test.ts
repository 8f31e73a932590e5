import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RewardRow } from '../../../processors/model/effects.ts';
import { readExplanation } from '../../../src/access/read-explanation.ts';
import { explanationText } from '../../../src/cli/explanation-text.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayChunks } from '../../../src/clickhouse/tables/replay-chunks.ts';
import { encodeReplayEmitted } from '../../../src/clickhouse/tables/replay-emitted.ts';
import { encodeReplays } from '../../../src/clickhouse/tables/replays.ts';
import { encodeRewards } from '../../../src/clickhouse/tables/rewards.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleReplay, sampleReplayChunk, sampleReplayEmitted } from '../clickhouse/tables/sample-replays.ts';
import { sampleDecision, sampleStep } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

const live = { topic: 'rollout.steps', term: 1 };
const again = { topic: 'rollout.steps', term: 0 };
let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
  const { store } = temporary;
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], live));
  await store.insert(encodeLanes([{ partition: 0, frontier: 90, watermark: 90, open: [] }], live));
  const attempts = [0, 1, 2].map((attempt) =>
    sampleStep(attempt, { run_id: 'r', rollout_id: 'a', attempt, start: {} }),
  );
  await store.insert(encodeAttempts(attempts, live));
  const of = { run_id: 'r', rollout_id: 'a', unit: 'r/0/r/a' };
  const invalid = { reward: null, reward_valid: false } as const;
  await store.insert(
    encodeDecisions(
      [
        sampleDecision(10, { ...of, ...invalid, disposition: 'retry' }),
        sampleDecision(20, { ...of, attempt: 1, reward: 0.5 }),
        // Behind the end of both replays.
        sampleDecision(80, { ...of, attempt: 2 }),
        sampleDecision(11, { run_id: 'r', rollout_id: 'b', unit: 'r/0/r/b' }),
      ],
      live,
    ),
  );
  await store.insert(
    encodeDecisions(
      [
        sampleDecision(10, { ...of, ...invalid, disposition: 'retry', replay_id: 'r-1' }),
        sampleDecision(20, { ...of, attempt: 1, reward: 0, replay_id: 'r-1' }),
        sampleDecision(10, { ...of, reward: 1, advantage: 0.25, policy_id: '0123456789abcdef', replay_id: 'r-2' }),
        sampleDecision(10, { ...of, reward: 9, replay_id: 'r-works' }),
      ],
      again,
    ),
  );
  const part: RewardRow = {
    ...{ ...of, epoch: 0, attempt: 0, replay_id: 'r-2', scorer: 'judge', scorer_version: '2', turn: null },
    ...{ component: 'c', value: 1, status: 'scored', policy_id: 'p', score_id: 'x', started_at: null },
    ...{ partition: 0, offset: 10 },
  };
  await store.insert(encodeRewards([part, { ...part, scorer: 'penalty', scorer_version: '' }], again));
  await store.insert(encodeReplayEmitted([sampleReplayEmitted('r-2', { ...of, topic: 'trajectories.ready' })]));
  await store.insert(encodeReplayChunks(['r-1', 'r-2', 'r-works'].map((id) => sampleReplayChunk(id, { end: 50 }))));
  await store.insert(
    encodeReplays([
      sampleReplay('r-1', { endedAtMs: 1_700_000_001_000 }),
      sampleReplay('r-2', { label: 'repaired', endedAtMs: 1_700_000_002_000 }),
      sampleReplay('r-works', { state: 'running', endedAtMs: null }),
    ]),
  );
});
afterAll(() => temporary.remove());

const explained = (rollout: string) =>
  readExplanation({ store: temporary.store, policyFile: undefined }, rollout, null);

it('explain says how each finished replay scored a rollout, the oldest first', async () => {
  const attempts = (await explained('a')).rollouts.flatMap(({ attempts }) => attempts);
  expect(attempts.map(({ replays }) => replays?.map(({ replay_id, latest }) => [replay_id, latest]))).toEqual([
    [
      ['r-1', false],
      ['r-2', true],
    ],
    [
      ['r-1', false],
      ['r-2', true],
    ],
    undefined,
  ]);
  expect(attempts[0]?.replays?.[1]).toMatchObject({
    ...{ label: 'repaired', ended_at: '2023-11-14 22:13:22.000' },
    decision: { reward: 1, advantage: 0.25, scorers: ['judge 2', 'penalty'], emitted_to: 'trajectories.ready' },
  });
  expect(attempts[1]?.replays?.[1]?.decision).toBeNull();
});

it('and in the text: what it changed, by what, and what became of it', async () => {
  const lines = explanationText(await explained('a'))
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim());
  expect(lines).toEqual(
    expect.arrayContaining([
      'scored again r-1: as before (retry, reward null), under policy p',
      'repaired (r-2): retry → train because task_complete, reward null → 1, advantage null → 0.25, under policy 0123456789ab, scored by judge 2, penalty; emitted to trajectories.ready; the newest version',
      'scored again r-1: reward 0.5 → 0, under policy p',
      'repaired (r-2): it would not have been opened; the newest version',
    ]),
  );
});

it('of what no replay scored it says nothing', async () => {
  const [only] = (await explained('b')).rollouts.flatMap(({ attempts }) => attempts);
  expect(only).not.toHaveProperty('replays');
});
