import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RewardRow } from '../../../processors/model/effects.ts';
import type { DecisionInit } from '../../../schemas/generated/decision.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayChunks } from '../../../src/clickhouse/tables/replay-chunks.ts';
import { encodeReplays } from '../../../src/clickhouse/tables/replays.ts';
import { encodeRewards } from '../../../src/clickhouse/tables/rewards.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleReplay, sampleReplayChunk } from '../../src/clickhouse/tables/sample-replays.ts';
import { sampleDecision } from '../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../src/clickhouse/temporary-store.ts';

const TOPIC = 'rollout.steps';
let temporary: TemporaryStore;

type Decided = Partial<DecisionInit> & Pick<DecisionInit, 'rollout_id'>;

async function decide(term: number, rows: ReadonlyArray<[offset: number, init: Decided]>): Promise<void> {
  const decisions = rows.map(([offset, init]) =>
    sampleDecision(offset, { run_id: 'run', unit: `run/0/r/${init.rollout_id}`, ...init }),
  );
  await temporary.store.insert(encodeDecisions(decisions, { topic: TOPIC, term }));
}

/** Rows of the version that a statement names, as `rollout.attempt reward version`. */
async function versionOf(from: string, columns = 'rollout_id, attempt, reward, version_id'): Promise<string[]> {
  const text = await temporary.store.queryAsReader(
    `SELECT ${columns} FROM ${from} WHERE run_id = 'run' ORDER BY rollout_id, attempt`,
    'JSONEachRow',
  );
  const rows = text.split('\n').filter((line) => line !== '');
  return rows.map((line) => {
    const [rollout, attempt, reward, version] = Object.values(JSON.parse(line));
    return `${rollout}.${attempt} ${reward} ${version}`.trim();
  });
}

beforeAll(async () => {
  temporary = await temporaryStore();
  const owner = { topic: TOPIC, term: 1 };
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await temporary.store.insert(encodeLanes([{ partition: 0, frontier: 100, watermark: 100, open: [] }], owner));
  await decide(1, [
    [1, { rollout_id: 'a', reward: 1 }],
    [2, { rollout_id: 'b', reward: 2 }],
    [3, { rollout_id: 'c', reward: 3 }],
    [4, { rollout_id: 'c', reward: 3.5, attempt: 1 }],
    // Behind the frontier: it does not count.
    [200, { rollout_id: 'd', reward: 4 }],
  ]);
});
afterAll(() => temporary.remove());

it('without a replay the latest decisions are the live ones', async () => {
  const live = ['a.0 1', 'b.0 2', 'c.0 3', 'c.1 3.5'];
  expect(await versionOf('rollstream.live_decisions', "rollout_id, attempt, reward, ''")).toEqual(live);
  expect(await versionOf('rollstream.latest_decisions')).toEqual(live);
  expect(await versionOf("rollstream.decisions_of(replay = '')")).toEqual(live);
});

it('a replay counts when it is done and was to be saved, and of each unit the newest decides', async () => {
  const { store } = temporary;
  await decide(0, [
    [1, { rollout_id: 'a', reward: 10, replay_id: 'first' }],
    [2, { rollout_id: 'b', reward: null, replay_id: 'first' }],
    [2, { rollout_id: 'b', reward: 20, replay_id: 'second' }],
    [3, { rollout_id: 'c', reward: 99, replay_id: 'works' }],
    [1, { rollout_id: 'a', reward: 98, replay_id: 'dry' }],
  ]);
  const ends = (second: number) => ({ endedAtMs: 1_700_000_000_000 + second * 1_000 });
  await store.insert(
    encodeReplays([
      sampleReplay('first', ends(10)),
      sampleReplay('second', ends(20)),
      sampleReplay('works', { state: 'running', endedAtMs: null }),
      sampleReplay('dry', { saved: false, ...ends(30) }),
    ]),
  );
  await store.insert(encodeReplayChunks(['first', 'second', 'works', 'dry'].map((id) => sampleReplayChunk(id))));
  expect(await versionOf('rollstream.latest_decisions')).toEqual([
    ...['a.0 10 first', 'b.0 20 second', 'c.0 3', 'c.1 3.5'],
  ]);
  expect(await versionOf("rollstream.decisions_of(replay = 'first')")).toEqual([
    ...['a.0 10 first', 'b.0 null first', 'c.0 3', 'c.1 3.5'],
  ]);
  expect(await versionOf("rollstream.decisions_of(replay = 'second')")).toEqual([
    ...['a.0 1', 'b.0 20 second', 'c.0 3', 'c.1 3.5'],
  ]);
  for (const none of ['works', 'dry', 'unheard']) {
    expect(await versionOf(`rollstream.decisions_of(replay = '${none}')`)).toEqual([]);
  }
  expect(await versionOf("rollstream.decisions_of(replay = '')")).toEqual(['a.0 1', 'b.0 2', 'c.0 3', 'c.1 3.5']);
  expect(await store.query('SELECT replay_id FROM rollstream.finished_replays ORDER BY replay_id')).toEqual([
    ...[{ replay_id: 'first' }, { replay_id: 'second' }],
  ]);
});

it('an attempt that a replay would not have opened is not in its version; one decided behind its end is', async () => {
  await decide(1, [
    [50, { rollout_id: 'e', reward: 1 }],
    [60, { rollout_id: 'e', reward: 2, attempt: 1 }],
    [70, { rollout_id: 'e', reward: 3, attempt: 2 }],
  ]);
  await decide(0, [[50, { rollout_id: 'e', reward: 5, replay_id: 'third' }]]);
  await temporary.store.insert(encodeReplayChunks([sampleReplayChunk('third', { end: 70 })]));
  await temporary.store.insert(encodeReplays([sampleReplay('third')]));
  const ofE = (rows: readonly string[]) => rows.filter((row) => row.startsWith('e'));
  expect(ofE(await versionOf('rollstream.latest_decisions'))).toEqual(['e.0 5 third', 'e.2 3']);
  expect(ofE(await versionOf("rollstream.decisions_of(replay = 'third')"))).toEqual(['e.0 5 third', 'e.2 3']);
});

it('the parts of the latest rewards belong to the latest decisions, also where a replay gave none', async () => {
  const part = (rollout_id: string, offset: number, value: number, replay_id = ''): RewardRow => ({
    ...{ run_id: 'run', epoch: 0, unit: `run/0/r/${rollout_id}`, rollout_id, attempt: 0, replay_id, scorer: 's' },
    ...{ scorer_version: '', turn: null, component: 'c', value, status: 'scored', policy_id: 'p', score_id: 'x' },
    ...{ started_at: null, partition: 0, offset },
  });
  const live = [part('a', 1, 1), part('b', 2, 2), part('c', 3, 3), part('d', 200, 4)];
  await temporary.store.insert(encodeRewards(live, { topic: TOPIC, term: 1 }));
  const again = [part('a', 1, 10, 'first'), part('c', 3, 99, 'works')];
  await temporary.store.insert(encodeRewards(again, { topic: TOPIC, term: 0 }));
  expect(await versionOf('rollstream.latest_rewards', 'rollout_id, attempt, value, version_id')).toEqual([
    ...['a.0 10 first', 'c.0 3'],
  ]);
});
