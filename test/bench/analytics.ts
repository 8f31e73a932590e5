import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { askedWith, type NamedQuery, namedQueries } from '../../src/access/named-queries.ts';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import type { QueryParams, Store } from '../../src/clickhouse/port.ts';
import { STORE_FOLDER } from '../../src/config/data-folders.ts';
import { writeAnalyticsRun } from './analytics-run.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { pageTimes } from './page-times.ts';
import { spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const SIZES = {
  full: { trajectories: 1_000_000, rounds: 20, everyNth: 1 },
  smoke: { trajectories: 256, rounds: 1, everyNth: 16 },
} as const;
const TARGET_MS = 300;
const RUN = 'big';
/** The work of counting decisions without a view: what the engine needs at least to look at them all. */
const YARDSTICK = 'SELECT count(), category FROM rollstream.decisions GROUP BY category';

/**
 * The named queries over one run of 1,000,000 rollouts, asked as the page asks them; and the page itself in a browser. ROLLSTREAM_BENCH_TRAJECTORIES makes it smaller;
 * ROLLSTREAM_BENCH_DATA is a folder that is kept, and asked again when it is there; ROLLSTREAM_BENCH_QUERIES names some, with commas;
 * ROLLSTREAM_BENCH_ROUNDS asks less often than twenty times, where a round takes minutes.
 */
export const analytics: Bench = {
  name: 'analytics',
  run(size) {
    const kept = process.env.ROLLSTREAM_BENCH_DATA;
    return size === 'full' && kept !== undefined
      ? measured(kept, size)
      : inTemporaryFolder((folder) => measured(folder, size));
  },
};

async function measured(data: string, size: Size): Promise<Figure[]> {
  const figures = await inStore(data, size);
  return size === 'full' ? [...figures, ...(await pageTimes(data, RUN))] : figures;
}

async function inStore(data: string, size: Size): Promise<Figure[]> {
  const folder = join(data, STORE_FOLDER);
  const isThere = existsSync(folder);
  await mkdir(folder, { recursive: true });
  const store = await openEmbeddedStore({ folder });
  try {
    await store.migrate();
    const trajectories =
      size === 'full'
        ? Number(process.env.ROLLSTREAM_BENCH_TRAJECTORIES ?? SIZES.full.trajectories)
        : SIZES.smoke.trajectories;
    const written = isThere ? null : await writeAnalyticsRun(store, { runId: RUN, trajectories });
    const [rows] = await store.query<{ text: string }>(
      `SELECT concat(formatReadableQuantity((SELECT count() FROM rollstream.attempts)), ' attempts, ',
        formatReadableQuantity((SELECT count() FROM rollstream.steps)), ' steps, ',
        formatReadableQuantity((SELECT count() FROM rollstream.audits)), ' rows of audits') AS text`,
    );
    const asked = await askAll(store, size);
    const late = asked.filter(({ target }) => target?.met === false);
    const worst = spreadOf(asked.map(({ value }) => value.max));
    return [
      {
        ...{ name: 'analytics: p95 of the named queries', value: worst, unit: 'ms' },
        target: { text: `each ≤ ${TARGET_MS} ms`, met: late.length === 0 },
        notes: [
          `${rows?.text}${written === null ? '' : `, written in ${(written.tookMs / 1000).toFixed(0)} s`}`,
          `${late.length} of ${asked.length} miss: ${late.map(({ name }) => name).join('; ') || 'none'}`,
        ],
      },
      ...asked,
    ];
  } finally {
    await store.close();
  }
}

/** Slowest first. A value is p50, with the best round and p95. */
async function askAll(store: Store, size: Size): Promise<Figure[]> {
  const { everyNth } = SIZES[size];
  const rounds =
    size === 'full' ? Number(process.env.ROLLSTREAM_BENCH_ROUNDS ?? SIZES.full.rounds) : SIZES.smoke.rounds;
  const only = process.env.ROLLSTREAM_BENCH_QUERIES?.split(',');
  const queries = namedQueries().filter(({ name }, place) =>
    only !== undefined && size === 'full' ? only.includes(name) : place % everyNth === 0,
  );
  const facts = await factsOf(store);
  const figures: Figure[] = [];
  for (const query of queries) {
    const hasAll = query.params.some(({ name, preset }) => name === 'run' && preset === '');
    for (const run of hasAll ? [RUN, ''] : [RUN]) figures.push(await ask(store, query, run, facts, rounds));
  }
  return figures.sort((a, b) => b.value.max - a.value.max);
}

async function ask(store: Store, query: NamedQuery, run: string, facts: QueryParams, rounds: number): Promise<Figure> {
  const names = query.params.flatMap(({ name, preset }) => (preset === null || name === 'run' ? [name] : []));
  const params = askedWith(
    query,
    Object.fromEntries(names.map((name) => [name, name === 'run' ? run : factOf(name, facts)])),
  );
  const took: number[] = [];
  const bare: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    const one = await timed(store, query.sql, params);
    const { user, system } = process.cpuUsage(before);
    const other = await timed(store, YARDSTICK, {});
    // The first round reads from the disk.
    if (round === 0 && rounds > 1) continue;
    took.push(one);
    bare.push(other);
    cpu.push((user + system) / 1000);
  }
  const p95 = at(0.95, took);
  return {
    name: `${query.name}${run === '' ? ', all runs' : ''}`,
    value: { median: at(0.5, took), min: at(0, took), max: p95 },
    unit: 'ms (best–p95)',
    yardstick: { name: 'bare count', value: spreadOf(bare) },
    ratio: spreadOf(took.map((ms, round) => ms / (bare[round] ?? Number.NaN))).median,
    target: { text: `p95 ≤ ${TARGET_MS} ms`, met: p95 <= TARGET_MS },
    // On a machine that does other work, this is what two free cores would take twice as fast at best.
    notes: [`CPU of all threads ${at(0.5, cpu).toFixed(0)} ms`],
  };
}

async function timed(store: Store, sql: string, params: QueryParams): Promise<number> {
  const began = performance.now();
  await store.queryAsReader(sql, 'JSONEachRow', params);
  return performance.now() - began;
}

function at(share: number, values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Values for parameters that have none of their own: a group, a rollout and a step in the middle of the run. */
async function factsOf(store: Store): Promise<QueryParams> {
  const [middle] = await store.query<{ unit: string; rollout: string; step: number }>(
    `SELECT unit, rollout_id AS rollout, (SELECT toUInt32(ifNull(intDiv(max(step), 2), 0)) FROM rollstream.deliveries) AS step
    FROM rollstream.decisions WHERE disposition = 'train' AND run_id = '${RUN}' ORDER BY rollout_id LIMIT 1`,
  );
  return {
    runs: [RUN],
    froms: [0],
    lineage: '',
    window: 200,
    unit: middle?.unit ?? '',
    rollout: middle?.rollout ?? '',
    step: middle?.step ?? 0,
  };
}

function factOf(name: string, facts: QueryParams): string | number | readonly string[] | readonly number[] {
  const value = facts[name];
  if (value === undefined || value === null || typeof value === 'boolean')
    throw new Error(`no value for the parameter ${name}`);
  return value;
}
