import { readFile } from 'node:fs/promises';
import type { Segment, Trajectory } from '../../schemas/generated/trajectory.ts';
import type { Broker } from '../../src/broker/port.ts';
import type { Accounting } from '../../src/clickhouse/accounting.ts';
import { topicNames } from '../../src/config/topics.ts';
import { trajectoryDigest } from '../e2e/expected.ts';
import { jsonOf, rollstream } from '../e2e/rollstream.ts';
import type { Cluster } from './cluster.ts';
import { readReadyTopic } from './read-ready-topic.ts';
import type { SentAttempt } from './sent-rollouts.ts';
import { sqlRows } from './sql-rows.ts';

const topics = topicNames('');

interface SqlTrajectory {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly disposition: string;
  readonly reward: number | null;
  readonly 'segments.token_ids': readonly number[][];
  readonly 'segments.sampled_mask': readonly number[][];
  readonly 'segments.logprobs': readonly number[][];
}

/** What is wrong with what came out, one line each, as seen from outside. */
export async function checkOutcome(
  cluster: Cluster,
  broker: Broker,
  files: { readonly config: string; readonly sent: string },
): Promise<{ readonly wrong: string[]; readonly trajectories: number }> {
  const sent = (await readFile(files.sent, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line): SentAttempt => JSON.parse(line));
  const { end } = await broker.bounds(topics.ready, 0);
  const ready = await readReadyTopic(cluster, topics.ready, end - 1);
  const letters = await broker.bounds(topics.deadLetter, 0);
  const accounting = await rollstream('accounting', '--config', files.config, '--json');
  const wrong = [
    ...checkReady(ready, sent),
    ...checkSql(await sqlTrajectories(cluster.clickhouseUrl), sent),
    ...(await checkDecisions(cluster.clickhouseUrl, sent)),
    ...checkAccounting(jsonOf(accounting), sent),
    ...(letters.end > letters.start ? [`${letters.end - letters.start} records in ${topics.deadLetter}`] : []),
  ];
  return { wrong, trajectories: ready.length };
}

function nameOf({ run, rollout, attempt }: { run: string; rollout: string; attempt: number }): string {
  return `${run} ${rollout} ${attempt}`;
}

/** Each ready one once, and equal to what was sent; nothing else. */
function checkDigests(where: string, found: ReadonlyMap<string, string[]>, sent: readonly SentAttempt[]): string[] {
  const wrong: string[] = [];
  const wanted = new Map(sent.flatMap((one) => (one.ready === null ? [] : [[nameOf(one), one.ready] as const])));
  for (const [name, digests] of found) {
    if (digests.length > 1) wrong.push(`${where}: ${name} is there ${digests.length} times`);
    if (!wanted.has(name)) wrong.push(`${where}: ${name} must not be there`);
    else if (digests.some((digest) => digest !== wanted.get(name)))
      wrong.push(`${where}: ${name} is not as it was sent`);
  }
  for (const name of wanted.keys()) if (!found.has(name)) wrong.push(`${where}: ${name} is not there`);
  return wrong;
}

function collect(into: Map<string, string[]>, name: string, digest: string): void {
  into.set(name, [...(into.get(name) ?? []), digest]);
}

function checkReady(ready: readonly Trajectory[], sent: readonly SentAttempt[]): string[] {
  const found = new Map<string, string[]>();
  const wrong: string[] = [];
  for (const { run_id: run, rollout_id: rollout, attempt, segments, reward, advantage } of ready) {
    const name = nameOf({ run, rollout, attempt });
    collect(found, name, segments.map((segment) => digestOf(segment, reward)).join());
    if (run === 'grouped' && advantage === null) wrong.push(`ready: ${name} has no advantage`);
  }
  return [...wrong, ...checkDigests('ready', found, sent)];
}

function digestOf({ token_ids, sampled_mask, logprobs }: Segment, reward: number | null): string {
  const ids = Array.from({ length: token_ids.length / 4 }, (_, n) => token_ids.readUInt32LE(4 * n));
  const logs = Array.from(
    { length: (logprobs?.length ?? 0) / 4 },
    (_, n) => logprobs?.readFloatLE(4 * n) ?? Number.NaN,
  );
  return trajectoryDigest(ids, [...sampled_mask], logs, reward);
}

function sqlTrajectories(url: string): Promise<SqlTrajectory[]> {
  const columns = 'run_id, rollout_id, attempt, disposition, reward';
  const arrays = '`segments.token_ids`, `segments.sampled_mask`, `segments.logprobs`';
  return sqlRows(url, `SELECT ${columns}, ${arrays} FROM rollstream.live_trajectories`);
}

function checkSql(rows: readonly SqlTrajectory[], sent: readonly SentAttempt[]): string[] {
  const found = new Map<string, string[]>();
  for (const row of rows.filter(({ disposition }) => /^(?:train|train_masked|penalise)$/.test(disposition))) {
    const digests = row['segments.token_ids'].map((ids, at) =>
      trajectoryDigest(ids, row['segments.sampled_mask'][at] ?? [], row['segments.logprobs'][at] ?? [], row.reward),
    );
    collect(found, nameOf({ run: row.run_id, rollout: row.rollout_id, attempt: row.attempt }), digests.join());
  }
  return checkDigests('SQL', found, sent);
}

/** An attempt, a decision, a trajectory each; no dead letter. */
async function checkDecisions(url: string, sent: readonly SentAttempt[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const table of ['live_attempts', 'live_decisions', 'live_trajectories']) {
    const [row] = await sqlRows<{ rows: number; names: number }>(
      url,
      `SELECT toInt32(count()) AS rows, toInt32(uniqExact(run_id, rollout_id, attempt)) AS names FROM rollstream.${table}`,
    );
    if (row?.rows !== sent.length || row.names !== sent.length)
      wrong.push(`${table}: ${row?.rows} rows of ${row?.names} attempts, ${sent.length} were sent`);
  }
  const [letters] = await sqlRows<{ n: number }>(
    url,
    'SELECT toInt32(count()) AS n FROM rollstream.dead_letters FINAL',
  );
  if (letters?.n !== 0) wrong.push(`${letters?.n} rows in dead_letters`);
  return wrong;
}

function checkAccounting({ runs }: Accounting, sent: readonly SentAttempt[]): string[] {
  const wrong: string[] = [];
  for (const run of new Set(sent.map((attempt) => attempt.run))) {
    const own = sent.filter((attempt) => attempt.run === run);
    const rejected: Record<string, number> = {};
    for (const one of own) if (one.rejected !== null) rejected[one.rejected] = (rejected[one.rejected] ?? 0) + 1;
    const books = runs.find(({ run_id }) => run_id === run);
    const got = JSON.stringify([books?.started, books?.ready, books?.open, books?.balanced, books?.rejected]);
    const ready = own.filter((attempt) => attempt.ready !== null).length;
    const wanted = JSON.stringify([own.length, ready, 0, true, rejected]);
    if (got !== wanted) wrong.push(`accounting of ${run}: ${got}, not ${wanted}`);
  }
  return wrong;
}
