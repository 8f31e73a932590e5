import { spawnSync } from 'node:child_process';
import type { Store } from '../../src/clickhouse/port.ts';
import { packageFile } from '../../src/config/package-file.ts';

export type NamedRow = Readonly<Record<string, unknown>>;

/** Rows of all versions, so that whoever reads them has to know which count. */
const RAW = {
  terms: 'SELECT topic, partition, term, restored FROM rollstream.terms FINAL',
  lanes: 'SELECT topic, partition, term, frontier FROM rollstream.lanes FINAL',
  released: 'SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL',
  attempts:
    'SELECT run_id, unit, rollout_id, attempt, replay_id, started_at, topic, partition, term, offset FROM rollstream.attempts FINAL',
  decisions: 'SELECT * FROM rollstream.decisions FINAL',
  audits: 'SELECT * FROM rollstream.audits FINAL',
  calls: `SELECT run_id, unit, rollout_id, attempt, '' AS replay_id, seq, model, prompt_prefix_len, has_prompt_delta_ids, has_completion_ids,
    length(prompt_delta_ids) AS delta, length(completion_ids) AS completion, \`tool_calls.call_id\` AS ids, \`tool_calls.name\` AS names,
    topic, partition, term, cause AS offset FROM rollstream.steps FINAL WHERE kind = 'model_call'`,
  trajectories: `SELECT run_id, unit, rollout_id, attempt, replay_id, \`reasons.code\` AS codes, \`reasons.attribution\` AS attributions, mapKeys(audit_missing) AS missing,
    topic, partition, term, offset FROM rollstream.trajectories FINAL`,
} as const;

/** What Python makes of the rows of a store, by named query. */
export async function namedByPython(store: Pick<Store, 'query'>, script: string): Promise<Map<string, NamedRow[]>> {
  const rows: Record<string, NamedRow[]> = {};
  for (const [name, sql] of Object.entries(RAW)) rows[name] = await store.query<NamedRow>(sql);
  const python = spawnSync('python3', [packageFile('test', 'oracles', script)], {
    input: JSON.stringify(rows),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (python.status !== 0) throw new Error(python.stderr);
  return new Map(Object.entries<NamedRow[]>(JSON.parse(python.stdout)));
}

/** Rows that can be compared whoever made them: columns by name, numbers to nine digits, in no order. */
export function comparable(rows: readonly NamedRow[], columns: readonly string[] | null = null): string[] {
  return rows.map((row) => JSON.stringify(plain(columns === null ? row : only(row, columns)))).sort();
}

function only(row: NamedRow, columns: readonly string[]): NamedRow {
  return Object.fromEntries(columns.map((name) => [name, row[name]]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, plain(one)]),
  );
}
