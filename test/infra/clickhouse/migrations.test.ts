import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedQueries } from '../../../src/access/named-queries.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { describedTables } from '../../../src/docs/described-tables.ts';
import { sqlPage } from '../../../src/docs/sql-page.ts';
import { type TemporaryStore, temporaryStore } from '../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const query = <Row extends object>(sql: string) => temporary.store.query<Row>(sql);

test('all tables of the contract are there, and the views that apply ownership', async () => {
  const rows = await query<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'rollstream' ORDER BY name",
  );
  const names = rows.map(({ name }) => name);
  expect(names).toEqual(
    [
      ...['applied', 'attempts', 'audits', 'dead_letters', 'decisions', 'deliveries', 'documents', 'gates', 'lanes'],
      ...['migrations'],
      ...[
        'owned',
        'ownership',
        'released',
        'replays',
        'rewards',
        'step_faults',
        'steps',
        'terms',
        'trajectories',
        'verdicts',
      ],
      ...['delivery_leases', 'lineages', 'train_match'],
      ...['replay_chunks', 'replay_verdicts', 'replay_emitted', 'verifier_results', 'runs'],
      ...['finished_replays', 'replayed_units', 'latest_decisions', 'latest_rewards', 'decisions_of'],
      ...[
        'attempts',
        'audits',
        'decisions',
        'deliveries',
        'held',
        'rewards',
        'step_faults',
        'steps',
        'trajectories',
        'verdicts',
      ].map((n) => `live_${n}`),
    ].sort(),
  );
});

test('every table has the settings that make an acknowledged insert durable', async () => {
  const rows = await query<{ name: string; create_table_query: string }>(
    "SELECT name, create_table_query FROM system.tables WHERE database = 'rollstream' AND engine LIKE '%MergeTree'",
  );
  expect(rows.length).toBe(26);
  for (const { name, create_table_query } of rows) {
    expect(create_table_query, name).toContain('fsync_after_insert = 1');
    expect(create_table_query, name).toContain('fsync_part_directory = 1');
    if (name !== 'migrations') expect(create_table_query, name).toContain('min_rows_to_fsync_after_merge = 1');
  }
});

test('every table and column says what it means', async () => {
  expect(
    await query(
      `SELECT table, name FROM system.columns WHERE database = 'rollstream' AND comment = '' AND table IN
         (SELECT name FROM system.tables WHERE database = 'rollstream' AND engine LIKE '%MergeTree')`,
    ),
  ).toEqual([]);
  expect(await query("SELECT name FROM system.tables WHERE database = 'rollstream' AND comment = ''")).toEqual([]);
});

test('docs/sql.md describes the queries, tables and columns as they are', async () => {
  const page = readFileSync(packageFile('docs', 'sql.md'), 'utf8');
  const tables = await describedTables(temporary.store);
  expect(tables.find(({ name }) => name === 'decisions')?.columns.length).toBeGreaterThan(40);
  expect(sqlPage(page, namedQueries(), tables)).toBe(page);
});

test('tables with event time are partitioned by its month, the books are not', async () => {
  const rows = await query<{ name: string; partition_key: string }>(
    "SELECT name, partition_key FROM system.tables WHERE database = 'rollstream' AND engine = 'ReplacingMergeTree'",
  );
  const whole = [
    'applied',
    'dead_letters',
    'deliveries',
    'delivery_leases',
    'documents',
    'gates',
    'lanes',
    'lineages',
    'released',
    'replay_chunks',
    'replay_emitted',
    'replay_verdicts',
    'replays',
    'runs',
    'terms',
    'train_match',
    'verifier_results',
  ];
  for (const { name, partition_key } of rows) {
    expect(partition_key, name).toBe(whole.includes(name) ? '' : 'toYYYYMM(event_time)');
  }
});

test('the decisions have the columns that scripts use', async () => {
  const rows = await query<{ name: string }>(
    "SELECT name FROM system.columns WHERE database = 'rollstream' AND table = 'decisions'",
  );
  const contract =
    'run_id, epoch, unit, group_id, rollout_id, attempt, replay_id, env_name, task_id, reason_code, reason_raw, category, finish_reason, verifier_status, disposition, why, reward, reward_valid, advantage, in_loss, in_baseline, policy_id, taxonomy_id, weights_version_min, lag, n_turns, n_tokens, started_at, ended_at, decided_at, partition, offset';
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(contract.split(', ')));
});

test('migrating again changes nothing', async () => {
  const books = () => query('SELECT name, sha256, applied_at FROM rollstream.migrations ORDER BY name');
  const before = await books();
  await temporary.store.migrate();
  expect(await books()).toEqual(before);
});

test('a row counts below the frontier of its term, in each log and partition by itself, and once', async () => {
  await query(`INSERT INTO rollstream.lanes (topic, partition, term, frontier) SELECT * FROM VALUES
    (('a.rollout.steps', 0, 2, 100), ('a.rollout.steps', 70000, 1, 50), ('b.rollout.steps', 0, 3, 10))`);
  await query(`INSERT INTO rollstream.terms (topic, partition, term, restored) SELECT * FROM VALUES
    (('a.rollout.steps', 0, 1, 0), ('a.rollout.steps', 0, 2, 40), ('a.rollout.steps', 70000, 1, 0),
     ('b.rollout.steps', 0, 1, 0), ('b.rollout.steps', 0, 2, 5), ('b.rollout.steps', 0, 3, 8))`);
  const counts = ['a 0 1 39', 'a 0 2 40', 'a 0 2 99', 'a 70000 1 49', 'b 0 1 4', 'b 0 2 7', 'b 0 3 9'];
  const doesNot = [
    ...['a 0 1 40', 'a 0 2 100', 'a 0 0 1', 'a 0 3 1', 'a 1 1 1', 'a 70000 1 50', 'a 70000 2 1'],
    ...['b 0 1 5', 'b 0 2 8', 'b 0 3 10', 'b 70000 1 1', 'c 0 1 1'],
  ];
  const columns = `concat(place[1], '.rollout.steps') AS topic, toInt32(place[2]) AS partition, toUInt32(place[3]) AS term,
    toInt64(place[4]) AS offset, toUInt64(term) * 281474976710656 + offset AS version, 'owned' AS run_id, name AS rollout_id, name AS unit,
    if(offset % 2 = 0, toDateTime64('2026-02-28 23:59:59', 6, 'UTC'), toDateTime64('2026-03-01 00:00:00', 6, 'UTC')) AS event_time`;
  const names = ['topic', 'partition', 'term', 'offset', 'version', 'run_id', 'rollout_id', 'unit', 'event_time'];
  const places = JSON.stringify([...counts, ...doesNot]).replaceAll('"', "'");
  for (const table of [
    'decisions',
    'attempts',
    'trajectories',
    'rewards',
    'audits',
    'steps',
    'step_faults',
    'verdicts',
  ]) {
    const cause = ['steps', 'step_faults', 'verdicts'].includes(table) ? ['cause'] : [];
    // A try that did not know that the first one had come.
    for (const _try of [1, 2])
      await query(`INSERT INTO rollstream.${table} (${[...names, ...cause].join(', ')}) SELECT ${columns}${cause.length > 0 ? ', offset AS cause' : ''}
        FROM (SELECT arrayJoin(${places}) AS name, splitByChar(' ', name) AS place)`);
    const rows = await query<{ name: string }>(
      `SELECT rollout_id AS name FROM rollstream.live_${table} WHERE run_id = 'owned' ORDER BY name`,
    );
    expect(
      rows.map(({ name }) => name),
      table,
    ).toEqual(counts);
  }
});
