import type { Accounting } from '../../src/clickhouse/accounting.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { type Expected, trajectoryDigest } from './expected.ts';
import { told } from './told.ts';

/** What is wrong with a data folder after its import, one line each, as seen by the commands that a user has. */
export async function checkImport(data: string, expected: Expected): Promise<string[]> {
  const ready = await told(['ready', '--data', data, '--json']);
  const accounting = await accountingOf(data);
  const counts = await rowCounts(data);
  return [
    ...checkReady(ready, expected),
    ...checkAccounting(accounting, expected),
    ...checkEvents(counts, expected),
    ...checkDecisions(counts, expected),
  ];
}

export async function accountingOf(data: string): Promise<Accounting> {
  return JSON.parse(await told(['accounting', '--data', data, '--json']));
}

/** Each one exactly once, bit by bit as it was written. */
function checkReady(lines: string, expected: Expected): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const line of lines.split('\n').filter((text) => text !== '')) {
    const trajectory: TrajectoryJson = JSON.parse(line);
    const id = `${trajectory.run_id} ${trajectory.rollout_id}`;
    const [segment, ...others] = trajectory.segments;
    if (seen.has(id)) wrong.push(`${id} is ready twice`);
    seen.add(id);
    if (segment === undefined || others.length > 0) wrong.push(`${id} has ${trajectory.segments.length} segments`);
    else if (digestOf(segment, trajectory.reward) !== expected.ready.get(id))
      wrong.push(`${id}: tokens, mask, logprobs or reward are not as they were written, or it must not be ready`);
    if (trajectory.group_size_expected !== null && trajectory.advantage === null) wrong.push(`${id} has no advantage`);
  }
  for (const id of expected.ready.keys()) if (!seen.has(id)) wrong.push(`${id} never became ready`);
  return wrong;
}

function digestOf(segment: TrajectoryJson['segments'][number], reward: number | null): string {
  return trajectoryDigest(segment.token_ids, segment.sampled_mask, segment.logprobs ?? [], reward);
}

function checkAccounting({ runs }: Accounting, expected: Expected): string[] {
  const wrong: string[] = [];
  const differ = (what: string, got: unknown, wanted: unknown) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      wrong.push(`accounting of ${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  };
  for (const [run, { started, ready, rejected }] of expected.runs) {
    const books = runs.find(({ run_id }) => run_id === run);
    differ(run, [books?.started, books?.ready, books?.open, books?.superseded], [started, ready, 0, 0]);
    differ(`${run}, rejected`, sorted(books?.rejected ?? {}), sorted(rejected));
    if (books?.balanced !== true) wrong.push(`the accounting of ${run} does not balance`);
  }
  differ('runs', runs.map(({ run_id }) => run_id).sort(), [...expected.runs.keys()].sort());
  return wrong;
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Each event has one row: in steps, or, a verdict that came too late, in verdicts. Nothing is a dead letter. */
function checkEvents(counts: RowCounts, expected: Expected): string[] {
  const wrong: string[] = [];
  for (const [kind, count] of expected.events) {
    const { rows, events } = counts.get(`live_steps, ${kind}`) ?? NONE;
    const inSteps = kind === 'verdict' ? count - expected.lateVerdicts : count;
    if (rows !== inSteps || events !== inSteps)
      wrong.push(`steps: ${rows} rows of ${events} ${kind} events, ${inSteps} were written`);
  }
  const verdicts = { late: counts.get('late verdicts')?.rows, all: counts.get('live_verdicts')?.rows };
  const wanted = { late: expected.lateVerdicts, all: expected.events.get('verdict') ?? 0 };
  if (verdicts.late !== wanted.late || verdicts.all !== wanted.all)
    wrong.push(`verdicts: ${JSON.stringify(verdicts)}, not ${JSON.stringify(wanted)}`);
  const letters = counts.get('dead_letters')?.rows;
  if (letters !== 0) wrong.push(`${letters} dead letters`);
  return wrong;
}

function checkDecisions(counts: RowCounts, expected: Expected): string[] {
  const started = [...expected.runs.values()].reduce((sum, books) => sum + books.started, 0);
  return ['live_attempts', 'live_decisions', 'live_trajectories']
    .filter((table) => counts.get(table)?.rows !== started)
    .map((table) => `${table}: ${counts.get(table)?.rows} rows for ${started} attempts`);
}

/** Rows, and of steps different events: by table, and of some by what the name says. */
type RowCounts = ReadonlyMap<string, { readonly rows: number; readonly events: number }>;

const NONE = { rows: 0, events: 0 };
const TABLES = [
  ...['live_verdicts', 'live_attempts', 'live_decisions', 'live_trajectories', 'live_rewards', 'live_audits'],
  'dead_letters FINAL',
];

/** Of what counts; what a repeated import may add is left out. Asked at once: each question opens the store. */
async function rowCounts(data: string): Promise<RowCounts> {
  const count = (name: string, from: string, events = '0') =>
    `SELECT ${name} AS name, toInt32(count()) AS rows, toInt32(${events}) AS events FROM rollstream.${from}`;
  const sql = [
    count("concat('live_steps, ', kind)", "live_steps WHERE kind != 'control' GROUP BY kind", 'uniqExact(event_id)'),
    count("'late verdicts'", 'live_verdicts WHERE late'),
    ...TABLES.map((table) => count(`'${table.replace(' FINAL', '')}'`, table)),
  ].join(' UNION ALL ');
  const rows: Array<{ name: string; rows: number; events: number }> = JSON.parse(
    await told(['query', sql, '--data', data, '--format', 'json']),
  );
  return new Map(rows.map(({ name, ...counted }) => [name, counted]));
}

/** Rows by table, and what is ready. */
export async function countsOf(data: string): Promise<Record<string, number>> {
  const rows = [...(await rowCounts(data))].map(([name, counted]) => [name, counted.rows] as const);
  const ready = (await told(['ready', '--data', data, '--json'])).split('\n').length - 1;
  return { ready, ...Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1))) };
}
