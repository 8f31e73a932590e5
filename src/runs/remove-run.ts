import type { Logger } from 'pino';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Broker } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import type { RunRow } from '../clickhouse/tables/runs.ts';
import type { TopicNames } from '../config/topics.ts';
import { createLeaseLog } from '../delivery/log/lease-log.ts';
import { RollstreamError } from '../errors.ts';
import { isOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import { livingForks, openAttemptsOf } from './in-use.ts';
import { removeOwnBlobs } from './own-blobs.ts';
import { countRunRows, runTables } from './run-tables.ts';
import type { WriteRun } from './write-run.ts';

export interface RemoveRunDeps {
  readonly store: Store;
  readonly broker: Pick<Broker, 'append' | 'bounds' | 'read'>;
  /** null: there is no folder for them. */
  readonly blobs: BlobStore | null;
  readonly topics: TopicNames;
  readonly write: WriteRun;
  /** Resolves when the lanes have committed all that the log held at the call. */
  readonly drained: () => Promise<void>;
  /** After so long every server knows what was written of a run; 0: there is only this one. */
  readonly seenAfterMs: number;
  /** Some server that runs now may grant leases. */
  readonly isGranted: boolean;
  /** Removes what admission keeps of the run. */
  readonly forgetGrants: (runId: string) => Promise<void>;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly now: () => number;
  /** It stops between two steps; whoever starts next goes on. */
  readonly ended: AbortSignal;
}

/** Ends a run whose row says `deleting`. Each step may be done again. */
export type RemoveRun = (row: RunRow) => Promise<RunRow>;

/** For lanes to close what is open, and for the one that grants to forget: longer than a flush or a take-over lasts. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;
const FORGET_MS = 10_000;
const MOST_ROUNDS = 20;

/**
 * Nothing new is taken ▸ what is open closes ▸ blobs ▸ leases forget it ▸ rows ▸ `deleted`.
 *
 * | dies                          | found after the restart                                                        |
 * |-------------------------------|--------------------------------------------------------------------------------|
 * | before the row `deleting`     | the run as it was                                                              |
 * | before the last row           | a run that takes nothing, less of it than before; it is gone on with           |
 * | after it                      | the run, deleted                                                               |
 *
 * CLOSED FIRST, in the log. 1 Rows are removed while an attempt is open; 2 its lane restarts, and builds it from the log again; 3 it
 * ends: a decision of a run that was deleted, in no book.
 * BLOBS BEFORE ROWS: the rows are what names them.
 * ROWS LAST, looked at again: what was under way in a batch may come behind the first removal.
 */
export function createRemoveRun(deps: RemoveRunDeps): RemoveRun {
  const { store, broker, blobs, topics, write, sleep, now, log, ended } = deps;

  const stopIfEnded = (): void => {
    if (ended.aborted) throw new RollstreamError('RS_INTERRUPTED', 'the next start goes on with the deletion');
  };

  const closeAll = async (runId: string): Promise<void> => {
    const until = now() + PATIENCE_MS;
    for (;;) {
      stopIfEnded();
      await deps.drained();
      if ((await openAttemptsOf(store, runId)) === 0) return;
      if (now() >= until) {
        const message = `attempts of ${runId} are still open: no worker closes them. The deletion goes on when one runs`;
        throw new RollstreamError('RS_BUSY', message);
      }
      await sleep(LOOK_MS, ended);
    }
  };

  const waitForDelivery = async (row: RunRow): Promise<void> => {
    for (let waited = 0; !(await isForgotten(broker, topics.leases, row)); waited += LOOK_MS) {
      stopIfEnded();
      if (!deps.isGranted || waited >= FORGET_MS) {
        log.info({ run: row.run_id }, 'its leases are forgotten by the next server that grants');
        return;
      }
      await sleep(LOOK_MS, ended);
    }
  };

  const removeRows = async (runId: string): Promise<void> => {
    const tables = await runTables(store);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      stopIfEnded();
      const left = Object.keys(await countRunRows(store, tables, runId));
      if (left.length === 0) return;
      try {
        await store.removeRun(left, runId);
      } catch (error) {
        if (!isOutage(error) || round + 1 === MOST_ROUNDS) throw error;
        log.warn({ err: error, run: runId }, 'rows of a deleted run are removed for longer than a request lasts');
        await sleep(LOOK_MS, ended);
      }
    }
    // Somebody goes on writing to the topic: that is told by `runs list`.
    log.warn({ run: runId }, 'rows of a deleted run keep coming');
  };

  return async function removeRun(begun) {
    const { run_id: runId } = begun;
    if (deps.seenAfterMs > 0) await sleep(deps.seenAfterMs, ended);
    await closeAll(runId);
    const [held, ready] = [await broker.bounds(topics.held, 0), await broker.bounds(topics.ready, 0)];
    const counts = await countRunRows(store, await runTables(store), runId);
    const row = await write(begun, {
      removed: larger(begun.removed, counts),
      ready_below: ready.end,
      held_below: held.end,
      gate_seq: Math.max(begun.gate_seq, await lastGateChange(store, runId)),
    });
    const own = await removeOwnBlobs({ store, blobs, now }, runId, (await livingForks(store, runId)).length > 0);
    await deps.forgetGrants(runId);
    await waitForDelivery(row);
    await removeRows(runId);
    stopIfEnded();
    const done = await write(row, { state: 'deleted', removed: larger(row.removed, own) });
    log.info({ run: runId, removed: done.removed }, 'deleted a run');
    return done;
  };
}

/** Whether ready.leases holds nothing of it, but for the word that it was deleted. */
export async function isForgotten(
  broker: RemoveRunDeps['broker'],
  leases: string,
  { run_id, ready_below }: Pick<RunRow, 'run_id' | 'ready_below'>,
): Promise<boolean> {
  let forgot = true;
  // Nothing was ready of any run: what was asked in vain says nothing.
  if (ready_below === 0) return forgot;
  for (const { record } of await createLeaseLog(broker, leases).read()) {
    if (!('run' in record) || record.run !== run_id) continue;
    if (record.kind === 'head') forgot = (record.head.forgot ?? 0) >= ready_below;
    else if (record.kind !== 'chunk' || record.entries.some(({ offset }) => offset >= ready_below)) forgot = false;
  }
  return forgot;
}

/** A step that is done again finds less. */
function larger(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const most: Record<string, number> = { ...a };
  for (const [name, n] of Object.entries(b)) most[name] = Math.max(most[name] ?? 0, n);
  return most;
}

async function lastGateChange(store: Pick<Store, 'query'>, runId: string): Promise<number> {
  const [found] = await store.query<{ seq: number }>(
    'SELECT max(seq) AS seq FROM rollstream.gates WHERE run_id = {run:String}',
    { run: runId },
  );
  return Number(found?.seq ?? 0);
}
