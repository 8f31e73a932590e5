import type { Access } from '../access/access.ts';
import { askedWith, namedQueries } from '../access/named-queries.ts';
import type { QueryParams } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import { type Blame, blameOf } from './blame.ts';
import type { TrainedRow } from './trained-row.ts';

export interface BlameQuery {
  readonly step: number;
  /** null: the only run that has trained the step. */
  readonly runId: string | null;
  /** null: the one in force. */
  readonly lineage: number | null;
  /** How many steps before it are compared. */
  readonly before: number;
}

type Asked = Pick<Access, 'query' | 'runs'>;

interface StepRow {
  readonly run_id: string;
  readonly step: number;
}

/** RS_NOT_FOUND where no such step was trained, or no such run is known; RS_USAGE where several runs have trained it. */
export async function readBlame(access: Asked, { step, runId, lineage, before }: BlameQuery): Promise<Blame> {
  const run = runId ?? (await onlyRunOf(access, step, lineage));
  const rows = await ask<TrainedRow>(access, 'blame_step', {
    ...{ run, step: String(step), before: String(before), lineage: lineage === null ? '' : String(lineage) },
  });
  const blame = blameOf(rows, step, before);
  if (blame === null) throw await notTrained(access, run, step, lineage);
  return blame;
}

async function onlyRunOf(access: Asked, step: number, lineage: number | null): Promise<string> {
  if (lineage !== null)
    throw new RollstreamError('RS_USAGE', 'a lineage is of one run: name it with --run', { facts: { field: 'run' } });
  const rows = await ask<StepRow>(access, 'blame_steps', { step: String(step) });
  const [first, ...others] = rows.map(({ run_id: run }) => run);
  if (first === undefined) throw new RollstreamError('RS_NOT_FOUND', `no run has trained step ${step}`);
  if (others.length === 0) return first;
  const names = [first, ...others].join(', ');
  throw new RollstreamError('RS_USAGE', `step ${step} was trained in ${names}: name one with --run`, {
    facts: { field: 'run' },
  });
}

async function notTrained(access: Asked, run: string, step: number, lineage: number | null): Promise<RollstreamError> {
  const runs = await access.runs();
  if (!runs.some(({ run_id: known }) => known === run))
    return new RollstreamError('RS_NOT_FOUND', `no run is named ${run}`, { facts: { field: 'run' } });
  const steps = (await ask<StepRow>(access, 'blame_steps', { run })).map((row) => row.step);
  const where = lineage === null ? '' : ` in lineage ${lineage}`;
  const known =
    steps.length === 0
      ? 'nothing was trained in it yet'
      : `of its ${steps.length} steps the first is ${steps[0]}, the last ${steps.at(-1)}`;
  return new RollstreamError('RS_NOT_FOUND', `run ${run} has trained no step ${step}${where}: ${known}`, {
    facts: { field: 'step' },
  });
}

async function ask<Row>(access: Asked, name: string, params: QueryParams): Promise<Row[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new RollstreamError('RS_INTERNAL', `the query ${name} is not shipped`);
  const text = await access.query(query.sql, 'jsonl', askedWith(query, params));
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
