import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import type { Store } from '../../src/clickhouse/port.ts';
import { STORE_FOLDER } from '../../src/config/data-folders.ts';
import { appendEvents, openBenchApp } from './bench-app.ts';
import { groupEvents, MEMBERS } from './replay-events.ts';

/** Groups that a lane decides; the rest are copies of their rows under other names. */
const TEMPLATES = 8;
/** Copies that one statement writes. */
const PIECE = 2_000;
const RUN = 'copied';

/** Columns that name the group, the rollout or the record, and what they are in copy `n`. */
const NAMED = ['unit', 'group_id', 'task_id', 'rollout_id', 'event_id', 'unsequenced_id'] as const;
const PLACED = ['offset', 'cause', 'first_offset', 'last_offset'] as const;

export interface ReplayRows {
  readonly attempts: number;
  /** ms that the lane and the copies took. */
  readonly tookMs: number;
}

/**
 * A data folder of many decided attempts: a lane decides eight groups, then their rows are written again and again with other
 * names and offsets, each a valid row of a lane that had read them all. Nothing of it is in the log.
 */
export async function writeReplayRows(data: string, attempts: number, tokens: number): Promise<ReplayRows> {
  const began = performance.now();
  await mkdir(data, { recursive: true });
  const app = await openBenchApp(data, true);
  await appendEvents(app, groupEvents(RUN, TEMPLATES, tokens));
  await app.lanes?.drained();
  await app.close();
  const store = await openEmbeddedStore({ folder: join(data, STORE_FOLDER) });
  const copies = Math.ceil(attempts / (TEMPLATES * MEMBERS));
  try {
    await copyRows(store, copies, tokens);
  } finally {
    await store.close();
  }
  return { attempts: copies * TEMPLATES * MEMBERS, tookMs: performance.now() - began };
}

async function copyRows(store: Store, copies: number, tokens: number): Promise<void> {
  const [template] = await store.query<Template>(
    `SELECT toUInt32(count()) AS records, any(policy_id) AS policy, any(taxonomy_id) AS taxonomy
    FROM rollstream.steps AS s FINAL, (SELECT policy_id, taxonomy_id FROM rollstream.decisions FINAL LIMIT 1) AS d
    WHERE s.run_id = '${RUN}'`,
  );
  if (template === undefined) throw new Error('the lane has decided nothing');
  for (const table of ['steps', 'verdicts', 'attempts', 'decisions', 'rewards', 'audits', 'trajectories'])
    for (let from = 1; from < copies; from += PIECE)
      await copyTable(store, table, template, { from, to: Math.min(copies, from + PIECE), isAltered: tokens > 100 });
  // What a lane would say that had read them all.
  await store.query(
    `INSERT INTO rollstream.lanes SELECT * REPLACE (frontier + {more:Int64} AS frontier,
      watermark + {more:Int64} AS watermark, version + {more:Int64} AS version) FROM rollstream.lanes FINAL`,
    { more: template.records * (copies - 1) },
  );
}

interface Template {
  readonly records: number;
  readonly policy: string;
  readonly taxonomy: string;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  /** Tokens differ from copy to copy: else a compressor sees the same again and again. */
  readonly isAltered: boolean;
}

async function copyTable(store: Store, table: string, template: Template, piece: Piece): Promise<void> {
  const columns = await store.query<{ name: string; type: string }>(`DESCRIBE TABLE rollstream.${table}`);
  const has = new Set(columns.map(({ name }) => name));
  const more = `n * ${template.records}`;
  const replaced = [
    ...NAMED.filter((name) => has.has(name)).map((name) => `${renamed(name)} AS ${name}`),
    ...PLACED.filter((name) => has.has(name)).map((name) => `${name} + ${more} AS ${name}`),
    `version + ${more} AS version`,
    ...(has.has('score_id') ? [`${scoreId(template)} AS score_id`] : []),
    ...(table === 'steps' && piece.isAltered ? OTHER_TOKENS : []),
    // The same tokens once more: a replay does not look at them.
    ...columns
      .filter(({ name }) => name.startsWith('segments.'))
      .map(({ name, type }) => `CAST([], '${type}') AS \`${name}\``),
  ];
  await store.query(
    `INSERT INTO rollstream.${table} SELECT t.* REPLACE (${replaced.join(', ')})
    FROM (SELECT * FROM rollstream.${table} FINAL WHERE run_id = '${RUN}' AND NOT match(rollout_id, 'x')) AS t
    CROSS JOIN (SELECT number AS n FROM numbers(${piece.from}, ${piece.to - piece.from})) AS copies`,
  );
}

/** `copied-3-1` of copy 7 is `copied-7x3-1`, in units, events and rollouts alike. */
function renamed(name: string): string {
  return `replaceAll(t.${name}, '${RUN}-', concat('${RUN}-', toString(n), 'x'))`;
}

/** As `scoreIdOf` makes it of a rollout that one scorer has scored. */
function scoreId({ policy, taxonomy }: Template): string {
  const after = `",0,"${policy}","${taxonomy}",[["sum","1",null]]]`;
  return `lower(substring(hex(SHA256(concat('["${RUN}",0,"', ${renamed('rollout_id')}, '${after}'))), 1, 32))`;
}

const OTHER_TOKENS = [
  `arrayMap((id, i) -> toUInt32((id + n * 7919 + (i * n) % 1013) % 151936), completion_ids, arrayEnumerate(completion_ids))
    AS completion_ids`,
  `arrayMap((p, i) -> toFloat32(p * (1 + (n * 31 + i * 17) % 997 / 99700)), completion_logprobs,
    arrayEnumerate(completion_logprobs)) AS completion_logprobs`,
];
