import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RewardRow } from '../../../../processors/model/effects.ts';
import type { DecisionInit } from '../../../../schemas/generated/decision.ts';
import { namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayChunks } from '../../../../src/clickhouse/tables/replay-chunks.ts';
import { encodeReplays } from '../../../../src/clickhouse/tables/replays.ts';
import { encodeRewards } from '../../../../src/clickhouse/tables/rewards.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { sampleReplay, sampleReplayChunk } from '../../../src/clickhouse/tables/sample-replays.ts';
import { sampleDecision } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

const TOPIC = 'rollout.steps';
let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], { topic: TOPIC, term: 1 }));
  const lane = { partition: 0, frontier: 100, watermark: 100, open: [] };
  await temporary.store.insert(encodeLanes([lane], { topic: TOPIC, term: 1 }));
});
afterAll(() => temporary.remove());

type Decided = readonly [rollout: string, unit: string, offset: number, init: Partial<DecisionInit>];

async function decide(run_id: string, replay_id: string, rows: readonly Decided[], scorer: string): Promise<void> {
  const owner = { topic: TOPIC, term: replay_id === '' ? 1 : 0 };
  const decisions = rows.map(([rollout_id, unit, offset, init]) =>
    sampleDecision(offset, { run_id, unit: `${run_id}/0/g/${unit}`, rollout_id, replay_id, ...init }),
  );
  await temporary.store.insert(encodeDecisions(decisions, owner));
  const rewards = decisions.map(
    (row): RewardRow => ({
      ...{ run_id, epoch: 0, unit: row.unit, rollout_id: row.rollout_id, attempt: row.attempt ?? 0, replay_id },
      ...{ scorer: 'judge', scorer_version: scorer, turn: null, component: 'c', value: row.reward, status: 'scored' },
      ...{ policy_id: row.policy_id, score_id: 'x', started_at: null, partition: 0, offset: row.offset },
    }),
  );
  await temporary.store.insert(encodeRewards(rewards, owner));
}

async function rowsOf(run: string): Promise<Array<Record<string, unknown>>> {
  const query = namedQueries().find(({ name }) => name === 'score_versions');
  const text = await temporary.store.queryAsReader(query?.sql ?? '', 'JSONEachRow', { run });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

it('puts live and each finished replay beside each other, each of them whole', async () => {
  const invalid = { reward: null, reward_valid: false } as const;
  await decide(
    'run',
    '',
    [
      ['a', 'g1', 1, { reward: 1, advantage: 0.5 }],
      ['b', 'g1', 2, { reward: 0, advantage: -0.5 }],
      ['c', 'g2', 3, { ...invalid, disposition: 'retry' }],
      ['c', 'g2', 4, { attempt: 1, reward: 0.5, disposition: 'drop' }],
      ['d', 'g3', 5, { reward: 0.25 }],
      // Behind the end of the replays.
      ['e', 'g1', 60, { reward: 4 }],
    ],
    '1',
  );
  // Of g1 a keeps its score, b is repaired; a moved its advantage by it.
  await decide(
    'run',
    'first',
    [
      ['a', 'g1', 1, { reward: 1, advantage: 0, policy_id: 'q' }],
      ['b', 'g1', 2, { reward: 1, advantage: 0, policy_id: 'q' }],
    ],
    '2',
  );
  // Of g2 the first attempt trains: the second would not have been opened. d is as it was.
  await decide(
    'run',
    'second',
    [
      ['c', 'g2', 3, { reward: 2 }],
      ['d', 'g3', 5, { reward: 0.25, policy_id: 'r' }],
    ],
    '3',
  );
  await decide('run', 'dry', [['d', 'g3', 5, { reward: 99 }]], '9');
  await decide('other', '', [['x', 'g1', 7, invalid]], '1');
  const { store } = temporary;
  await store.insert(encodeReplayChunks(['first', 'second', 'dry'].map((id) => sampleReplayChunk(id, { end: 50 }))));
  await store.insert(
    encodeReplays([
      sampleReplay('first', { label: 'repaired', endedAtMs: 1_700_000_002_000 }),
      sampleReplay('second', { endedAtMs: 1_700_000_001_000 }),
      sampleReplay('dry', { saved: false }),
    ]),
  );
  const live = {
    ...{ run_id: 'run', version: 'live', label: '', policy_ids: ['p'], taxonomy_ids: ['t'], scorers: ['judge 1'] },
    // 1 + 0 + 0.5 + 0.25 + 4 over five; a retry and a drop are not ready.
    ...{ own: 6, attempts: 6, ready: 4, scored: 5, mean_reward: 1.15, changed: 0, changed_share: 0 },
    ...{ vanished: 0, appeared: 0, ended_at: null },
  };
  const second = {
    ...{ ...live, version: 'second', policy_ids: ['p', 'r'], scorers: ['judge 3'], own: 2, attempts: 5, ready: 5 },
    // 1 + 0 + 2 + 0.25 + 4 over five.
    ...{ scored: 5, mean_reward: 1.45, changed: 1, changed_share: 0.5, vanished: 1 },
    ended_at: '2023-11-14 22:13:21.000',
  };
  const first = {
    ...{ ...live, version: 'first', label: 'repaired', policy_ids: ['q'], scorers: ['judge 2'], own: 2 },
    // 1 + 1 + 0.5 + 0.25 + 4 over five.
    ...{ mean_reward: 1.35, changed: 2, changed_share: 1, ended_at: '2023-11-14 22:13:22.000' },
  };
  expect(await rowsOf('run')).toEqual([live, second, first]);
  const all = await rowsOf('');
  expect(all.map(({ run_id, version }) => [run_id, version])).toEqual([
    ...[['other', 'live'], ...['live', 'second', 'first'].map((version) => ['run', version])],
  ]);
  expect(all[0]).toMatchObject({ attempts: 1, scored: 0, mean_reward: null, changed_share: 0 });
});

it('a version has as many attempts and the mean that decisions_of gives it', async () => {
  for (const { version, attempts, mean_reward } of await rowsOf('run')) {
    const id = version === 'live' ? '' : version;
    const [row] = await temporary.store.query<Record<string, unknown>>(
      `SELECT toUInt32(count()) AS attempts, avgIf(reward, reward_valid) AS mean_reward
       FROM rollstream.decisions_of(replay = '${id}') WHERE run_id = 'run'`,
    );
    expect(row).toEqual({ attempts, mean_reward });
  }
});
