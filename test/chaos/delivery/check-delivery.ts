import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounting } from '../../../src/clickhouse/accounting.ts';
import { jsonOf, rollstream } from '../../e2e/rollstream.ts';
import type { SentAttempt } from '../sent-rollouts.ts';
import { sqlRows } from '../sql-rows.ts';
import type { Received } from './batch.ts';
import { type Checkpoint, openCheckpointFiles } from './checkpoint-files.ts';

export type ReceivedLine = Omit<Received, 'offset'> & { readonly lease: string; readonly server: string };

interface DeliveryRow {
  readonly name: string;
  readonly unit: string;
  readonly state: string;
  readonly reason: string;
  readonly step: number | null;
  readonly lineage: number;
}

/** How one may end that was not trained, with a reason. */
const ENDINGS = new Set(['expired', 'undeliverable']);
const ROWS_MS = 60_000;
const ASK_EVERY_MS = 500;

/** What is wrong with what the trainers hold, one line each, and with what the books say of it. */
export async function checkDelivery(options: {
  readonly folder: string;
  readonly config: string;
  readonly clickhouseUrl: string;
  readonly runs: readonly string[];
  readonly sent: readonly SentAttempt[];
}): Promise<{ readonly wrong: string[]; readonly received: ReceivedLine[]; readonly states: Map<string, number> }> {
  const wrong: string[] = [];
  const digests: ReadonlyMap<string, string> = new Map(
    options.sent.flatMap((one) =>
      one.ready === null ? [] : [[`${one.run} ${one.rollout} ${one.attempt}`, one.ready] as const],
    ),
  );
  const received = await receivedIn(options.folder);
  for (const { name, digest } of received)
    if (digests.get(name) !== digest) wrong.push(`a trainer received ${name} other than it was sent`);
  const states = new Map<string, number>();
  const { runs: books }: Accounting = jsonOf(await rollstream('accounting', '--config', options.config, '--json'));
  for (const run of options.runs) {
    const [newest] = await openCheckpointFiles(join(options.folder, `checkpoints-${run}`)).read();
    if (newest === undefined) {
      wrong.push(`${run}: no checkpoint`);
      continue;
    }
    const ready = new Set([...digests.keys()].filter((name) => name.startsWith(`${run} `)));
    wrong.push(...checkWeights(run, newest, digests));
    const rows = await rowsOf(options.clickhouseUrl, run, (some) => checkRows(run, some, newest, ready).length === 0);
    wrong.push(...checkRows(run, rows, newest, ready), ...checkGroups(run, rows));
    for (const { state } of rows) states.set(state, (states.get(state) ?? 0) + 1);
    const book = books.find(({ run_id: id }) => id === run);
    const trained = rows.filter(({ state }) => state === 'trained').length;
    if (book?.balanced !== true || book.ready !== ready.size || book.ready_states.trained !== trained)
      wrong.push(`accounting of ${run}: ${JSON.stringify(book)}; ${ready.size} were ready, ${trained} are trained`);
  }
  return { wrong, received, states };
}

/** Each trajectory once, bit for bit. */
function checkWeights(run: string, { weights }: Checkpoint, digests: ReadonlyMap<string, string>): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const [name, digest] of weights) {
    if (seen.has(name)) wrong.push(`${run}: ${name} is in the weights twice`);
    if (digests.get(name) !== digest) wrong.push(`${run}: ${name} in the weights is not what was sent`);
    seen.add(name);
  }
  return wrong;
}

/**
 * Trained by the books is what the weights hold, in the same step; what they do not hold has a reason. The lineage is that in which
 * it was trained, or the later one that a rewind opened which named it among its tokens.
 */
function checkRows(run: string, rows: readonly DeliveryRow[], { weights }: Checkpoint, ready: Set<string>): string[] {
  const wrong: string[] = [];
  const held = new Map(weights.map(([name, , step, lineage]) => [name, { step, lineage }]));
  const left = new Set(ready);
  for (const { name, state, step, lineage, reason } of rows) {
    if (!left.delete(name)) wrong.push(`${run}: a row of ${name}, which was not ready or has another row`);
    const own = held.get(name);
    const isSame = state === 'trained' ? own?.step === step && own.lineage <= lineage : own === undefined;
    if (!isSame) wrong.push(`${run}: ${name} is ${state} in ${lineage} ${step}, in the weights ${JSON.stringify(own)}`);
    if (state !== 'trained' && (!ENDINGS.has(state) || reason === ''))
      wrong.push(`${run}: ${name} is left ${state}, reason '${reason}'`);
  }
  for (const name of left) wrong.push(`${run}: no row of ${name}`);
  return wrong;
}

/** The members of a group went the same way, in one step. */
function checkGroups(run: string, rows: readonly DeliveryRow[]): string[] {
  const ends = new Map<string, Set<string>>();
  for (const { unit, state, step, lineage } of rows)
    ends.set(unit, (ends.get(unit) ?? new Set()).add(`${state} ${lineage} ${step}`));
  return [...ends].flatMap(([unit, ways]) =>
    ways.size > 1 ? [`${run}: ${unit} was torn: ${[...ways].join(', ')}`] : [],
  );
}

async function receivedIn(folder: string): Promise<ReceivedLine[]> {
  const found: ReceivedLine[] = [];
  for (const name of (await readdir(folder)).filter((file) => file.startsWith('received-'))) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    // What follows the last end of a line was cut off by a kill.
    for (const line of lines.slice(0, -1)) found.push(JSON.parse(line));
  }
  return found;
}

/** Rows follow what was answered: the last of them are waited for. */
async function rowsOf(
  url: string,
  run: string,
  areRight: (rows: readonly DeliveryRow[]) => boolean,
): Promise<DeliveryRow[]> {
  const deadline = performance.now() + ROWS_MS;
  for (;;) {
    const rows = await sqlRows<DeliveryRow>(
      url,
      `SELECT concat(run_id, ' ', rollout_id, ' ', toString(attempt)) AS name, unit, state, reason, toInt32(step) AS step, lineage
FROM rollstream.live_deliveries WHERE run_id = '${run}'`,
    );
    if (areRight(rows) || performance.now() > deadline) return rows;
    await sleep(ASK_EVERY_MS);
  }
}
