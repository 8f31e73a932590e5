import type { Accounting } from '../../src/clickhouse/accounting.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { type Expected, trajectoryDigest } from './expected.ts';
import { runProgram } from './program.ts';

/** What is wrong with a data folder after its import, one line each, as seen by the commands that a user has. */
export async function checkImport(data: string, expected: Expected): Promise<string[]> {
  return [
    ...checkReady(await runProgram(['ready', '--data', data, '--json']), expected),
    ...checkAccounting(await accountingOf(data), expected),
    ...(await checkEvents(data, expected)),
    ...(await checkDecisions(data, expected)),
  ];
}

export async function accountingOf(data: string): Promise<Accounting> {
  return JSON.parse(await runProgram(['accounting', '--data', data, '--json']));
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
async function checkEvents(data: string, expected: Expected): Promise<string[]> {
  const wrong: string[] = [];
  const rows = await query<{ kind: string; rows: number; events: number }>(
    data,
    `SELECT kind, toInt32(count()) AS rows, toInt32(uniqExact(event_id)) AS events FROM rollstream.live_steps
     WHERE kind != 'control' GROUP BY kind`,
  );
  const [verdicts] = await query<{ late: number; all: number }>(
    data,
    'SELECT toInt32(countIf(late)) AS late, toInt32(count()) AS all FROM rollstream.live_verdicts',
  );
  const [letters] = await query<{ n: number }>(data, 'SELECT toInt32(count()) AS n FROM rollstream.dead_letters FINAL');
  for (const [kind, count] of expected.events) {
    const row = rows.find((found) => found.kind === kind) ?? { rows: 0, events: 0 };
    const inSteps = kind === 'verdict' ? count - expected.lateVerdicts : count;
    if (row.rows !== inSteps || row.events !== inSteps)
      wrong.push(`steps: ${row.rows} rows of ${row.events} ${kind} events, ${inSteps} were written`);
  }
  const wanted = { late: expected.lateVerdicts, all: expected.events.get('verdict') ?? 0 };
  if (verdicts?.late !== wanted.late || verdicts.all !== wanted.all)
    wrong.push(`verdicts: ${JSON.stringify(verdicts)}, not ${JSON.stringify(wanted)}`);
  if (letters?.n !== 0) wrong.push(`${letters?.n} dead letters`);
  return wrong;
}

async function checkDecisions(data: string, expected: Expected): Promise<string[]> {
  const started = [...expected.runs.values()].reduce((sum, books) => sum + books.started, 0);
  const counts = await countsOf(data);
  return ['live_attempts', 'live_decisions', 'live_trajectories']
    .filter((table) => counts[table] !== started)
    .map((table) => `${table}: ${counts[table]} rows for ${started} attempts`);
}

async function query<Row>(data: string, sql: string): Promise<Row[]> {
  return JSON.parse(await runProgram(['query', sql, '--data', data, '--format', 'json']));
}

/** Rows that count, by table; what a repeated import may add is left out. */
export async function countsOf(data: string): Promise<Record<string, number>> {
  const tables = [
    'live_steps',
    'live_verdicts',
    'live_attempts',
    'live_decisions',
    'live_trajectories',
    'live_rewards',
  ];
  const parts = [...tables, 'live_audits', 'dead_letters'].map((table) => {
    const only = table === 'live_steps' ? " WHERE kind != 'control'" : '';
    return `SELECT '${table}' AS name, toInt32(count()) AS n FROM rollstream.${table}${only}`;
  });
  const rows = await query<{ name: string; n: number }>(data, parts.join(' UNION ALL '));
  const ready = (await runProgram(['ready', '--data', data, '--json'])).split('\n').length - 1;
  return { ready, ...Object.fromEntries(rows.map(({ name, n }) => [name, n]).sort()) };
}
