import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askedWith, namedQueries } from '../../src/access/named-queries.ts';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import type { Store } from '../../src/clickhouse/port.ts';
import { encodeDeliveries } from '../../src/clickhouse/tables/deliveries.ts';
import { encodeLineages } from '../../src/clickhouse/tables/lineages.ts';
import { encodeReplayVerdicts } from '../../src/clickhouse/tables/replay-verdicts.ts';
import { encodeReplays } from '../../src/clickhouse/tables/replays.ts';
import { writeAnalyticsRun } from '../bench/analytics-run.ts';
import { cli } from '../src/cli/test-io.ts';
import { sampleDelivery, sampleLineage } from '../src/clickhouse/tables/sample-deliveries.ts';
import { sampleReplay, sampleReplayVerdict } from '../src/clickhouse/tables/sample-replays.ts';

type Row = Readonly<Record<string, unknown>>;

/** Times as microseconds, so that Python reads numbers. */
const us = (...names: string[]) =>
  names.map((name) => `toUnixTimestamp64Micro(toDateTime64(${name}, 6, 'UTC')) AS ${name}`);
const ATTEMPT = ['run_id', 'unit', 'rollout_id', 'attempt'];
const OWNED = ['topic', 'partition', 'term'];
/** What the oracle reads of each table, as it is after merging. */
const EXPORTED: Readonly<Record<string, readonly string[]>> = {
  lanes: ['topic', 'partition', 'term', 'frontier', '`open.unit` AS open'],
  terms: ['topic', 'partition', 'term', 'restored'],
  steps: [
    ...[
      ...ATTEMPT,
      ...OWNED,
      'cause',
      'env_name',
      'kind',
      'seq',
      'tool_name',
      'duration_us',
      'wait_us',
      'exec_us',
      'status',
    ],
    ...['has_error', 'phase', 'extra_json', ...us('started_at', 'ended_at')],
  ],
  decisions: [
    ...[
      ...ATTEMPT,
      ...OWNED,
      'offset',
      'replay_id',
      'env_name',
      'task_id',
      'purpose',
      'group_id',
      'group_size',
      'disposition',
    ],
    ...['why', 'reward', 'reward_valid', 'advantage', 'in_loss', 'in_baseline', 'held', 'weights_version_min'],
    ...us('started_at', 'ended_at', 'decided_at'),
  ],
  attempts: [...ATTEMPT, ...OWNED, 'offset', 'replay_id'],
  trajectories: [
    ...[...ATTEMPT, ...OWNED, 'offset', 'replay_id', 'env_name', 'wall_ms', 'rollout_loss_tokens'],
    ...us('started_at', 'ended_at'),
  ],
  audits: [...ATTEMPT, ...OWNED, 'offset', 'replay_id', 'result', 'class'],
  verdicts: [
    ...ATTEMPT,
    ...OWNED,
    'cause',
    'offset',
    'late',
    'scorer',
    'scorer_version',
    'status',
    'rewards',
    'bound_to',
  ],
  replays: ['replay_id', 'state', 'saved'],
  replay_verdicts: [...ATTEMPT, 'replay_id', 'turn', 'scorer', 'scorer_version', 'status', 'rewards'],
  deliveries: [
    ...[...ATTEMPT, 'replay_id', 'state', 'lineage', 'step', 'lag', 'tokens', 'waited_ms'],
    ...us('ready_at', 'taken_at', 'ended_at'),
  ],
  delivery_leases: ['run_id', 'waited_ms', 'ended_how', ...us('granted_at', 'ended_at')],
  lineages: ['run_id', 'kind', 'lineage', 'step'],
};

/** Queries of which the oracle answers every row, and the columns that name one. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  phases: ['run_id', 'env_name', 'phase'],
  phases_over_time: ['run_id', 'hour', 'phase'],
  slow_tools: ['run_id', 'env_name', 'tool'],
  sandbox_times: ['run_id', 'env_name', 'phase'],
  group_health: ['run_id', 'env_name'],
  groups: ['run_id', 'unit'],
  retries: ['run_id', 'env_name', 'reason'],
  pass_at_k: ['run_id', 'purpose', 'env_name', 'weights_version', 'k'],
  staleness_at_train: ['run_id', 'step', 'lag'],
  waits: ['run_id'],
  verifier_disagreement: ['run_id', 'scorer', 'component', 'version_a', 'version_b'],
  bottleneck: ['run_id', 'env_name', 'actor'],
};
const GIVEN: Readonly<Record<string, Readonly<Record<string, string>>>> = { groups: { limit: '100000' } };

let folder = '';
let store: Store;
let expected: Readonly<Record<string, readonly Row[]>> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-oracle-b-'));
  const data = join(folder, 'data');
  expect(await cli(['up', '--once', '--example', '--quiet', '--json', '--data', data])).toMatchObject({ code: 0 });
  store = await openEmbeddedStore({ folder: join(data, 'store') });
  await store.migrate({ onlyCheck: true });
  await writeAnalyticsRun(store, { runId: 'a', trajectories: 1_024 });
  await writeAnalyticsRun(store, { runId: 'b', trajectories: 256, seed: 2 });
  await insertTraining();
  for (const [table, columns] of Object.entries(EXPORTED)) {
    const rows = await store.query<Row>(`SELECT ${columns.join(', ')} FROM rollstream.${table} FINAL`);
    writeFileSync(join(folder, `${table}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  const python = spawnSync('python3', [join(import.meta.dirname, 'named_queries_b.py'), folder], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(python.stderr).toBe('');
  expected = JSON.parse(python.stdout);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** `math` trained twice over: a rewind took step 12 on back; and a verifier of another version looked again at a run. */
async function insertTraining(): Promise<void> {
  const members = await store.query<{ unit: string; rollout_id: string }>(
    `SELECT unit, rollout_id FROM rollstream.live_decisions WHERE run_id = 'math' ORDER BY unit, rollout_id`,
  );
  const deliveries = members.map(({ unit, rollout_id }, i) =>
    sampleDelivery(i, {
      ...{ run_id: 'math', unit, rollout_id, step: 1 + Math.floor(i / 4), lag: i % 3 === 0 ? null : i % 3 },
      ...{ lineage: i < 20 ? 1 : 0, tokens: 10 + i },
    }),
  );
  await store.insert(encodeDeliveries(deliveries));
  await store.insert(encodeLineages([sampleLineage(1, { run_id: 'math', step: 11 })]));
  await store.insert(encodeReplays([sampleReplay('again'), sampleReplay('dry', { saved: false })]));
  const verdicts = members.slice(0, 24).flatMap(({ unit, rollout_id }, i) =>
    ['again', 'dry'].map((replay) =>
      sampleReplayVerdict(replay, {
        ...{ run_id: 'math', unit, rollout_id, scorer: 'file-check', scorer_version: `2-${replay}` },
        rewards: { correct: i % 5 === 0 ? null : i % 2 },
      }),
    ),
  );
  await store.insert(encodeReplayVerdicts(verdicts));
}

async function answer(name: string, params: Readonly<Record<string, string>> = {}): Promise<Row[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  const text = await store.queryAsReader(query.sql, 'JSONEachRow', askedWith(query, params));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): Row => JSON.parse(line));
}

/** As the oracle writes it: times are microseconds. */
function comparable(value: unknown, column: string): unknown {
  if (typeof value === 'string' && /^(?:hour|first_ready_at)$/.test(column))
    return Date.parse(`${value.slice(0, 23).replace(' ', 'T')}Z`) * 1000 + Number(value.slice(23) || 0);
  return value;
}

function mustAgree(ours: readonly Row[], theirs: readonly Row[], key: readonly string[]): void {
  const nameOf = (row: Row): string => JSON.stringify(key.map((column) => comparable(row[column], column) ?? null));
  const byName = new Map(ours.map((row) => [nameOf(row), row]));
  expect([...byName.keys()].sort()).toEqual(theirs.map(nameOf).sort());
  for (const row of theirs) {
    const mine = byName.get(nameOf(row)) ?? {};
    for (const [column, value] of Object.entries(row)) {
      const got = comparable(mine[column], column);
      const where = `${nameOf(row)}.${column}`;
      if (typeof value === 'number' && typeof got === 'number')
        expect(Math.abs(got - value), `${where}: ${got}, not ${value}`).toBeLessThanOrEqual(
          1e-9 * Math.max(1, Math.abs(value)),
        );
      else expect(got, where).toEqual(value);
    }
  }
}

for (const [name, key] of Object.entries(COMPARED))
  it(`${name} says what Python finds in the raw rows, over all runs and of one`, async () => {
    const theirs = expected[name] ?? [];
    expect(theirs.length).toBeGreaterThan(0);
    mustAgree(await answer(name, { ...GIVEN[name] }), theirs, key);
    const of = (run: string) => theirs.filter((row) => row.run_id === run);
    for (const run of ['math', 'b']) mustAgree(await answer(name, { run, ...GIVEN[name] }), of(run), key);
  });

it('blame_step says what Python finds in the raw rows, of a step and of those before it', async () => {
  const theirs = (expected.blame_step ?? []).filter(({ run_id }) => run_id === 'math');
  const key = ['step', 'rollout_id', 'attempt'];
  const steps = (low: number, high: number) => theirs.filter(({ step }) => Number(step) >= low && Number(step) <= high);
  const asked = { run: 'math', lineage: '' };
  mustAgree(await answer('blame_step', { ...asked, step: '4' }), steps(4, 4), key);
  mustAgree(await answer('blame_step', { ...asked, step: '11', before: '3' }), steps(8, 11), key);
  expect(steps(12, 99)).toEqual([]);
  expect(await answer('blame_step', { ...asked, step: '12' })).toEqual([]);
});
