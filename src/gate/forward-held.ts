import type { Logger } from 'pino';
import type { Broker, LogRecord, TransactionalProducer } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeReleased } from '../clickhouse/tables/released.ts';
import { RollstreamError } from '../errors.ts';
import { commitSaying, textOfCommit } from '../lanes/commit-text.ts';
import { createRetryOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { Codecs } from '../registry/codecs.ts';
import { decodeHeldProgress, encodeHeldProgress, firstToMove, type HeldProgress } from './held-progress.ts';
import { lookThroughHeld, type MayMoveTo, nextToLookAt, withoutBrokenGroup } from './look-through-held.ts';
import { readMovable } from './read-movable.ts';
import { createReleasedRows } from './released-rows.ts';

export interface ForwardHeldDeps {
  readonly broker: Pick<Broker, 'transactional' | 'committed' | 'bounds' | 'read'>;
  readonly store: Pick<Store, 'query' | 'insert'>;
  readonly codecs: Codecs;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Names of the lanes' group and of the topics. */
  readonly group: string;
  readonly heldTopic: string;
  readonly readyTopic: string;
  readonly stateTopic: string;
}

export interface ForwardHeld {
  /** Works until `ended`, or until another process does. */
  forward(ended: AbortSignal): Promise<void>;
  /** Resolves when all that may be moved as the gates are now was moved, or nobody in this process does that. */
  drained(): Promise<void>;
}

/** A gate that opens is seen this late. */
const POLL_MS = 500;
/** Who is fenced and is still asked to forward after so long takes the id again. */
const FENCED_WAIT_MS = 10_000;
const BATCH_BYTES = 8 * 2 ** 20;
/** What is looked through and nothing moved of it: a restart looks again at no more than this. */
const UNSAVED_BYTES = 64 * 2 ** 20;

/**
 * trajectories.held → trajectories.ready: each record once, unchanged, in held order within its run, while the gate of the run is
 * open. It obeys the last row of `gates`; lanes obey the event that follows the row, so that what they still hold until then comes
 * here, too, and is moved.
 *
 * | dies                        | found after the restart                                                        |
 * |-----------------------------|--------------------------------------------------------------------------------|
 * | before the rows             | nothing; the batch is read again                                               |
 * | after the rows              | rows of `released`: their records are moved, whatever the gate has become      |
 * | in the transaction          | all of it or none of it                                                        |
 *
 * INSERT, THEN COMMIT. The other way: 1 commit; 2 death: nothing looks at the record again, and the books have it held for good.
 */
export function createForwardHeld(deps: ForwardHeldDeps): ForwardHeld {
  const { broker, store, log, sleep, group, heldTopic, readyTopic, stateTopic } = deps;
  const id = `${group}.held`;
  const name = { group: id, topic: heldTopic, partition: 0, stateTopic };
  const releasedRows = createReleasedRows(deps.codecs, deps.now);
  const waiters: Array<() => void> = [];
  let workers = 0;
  let wake = new AbortController();

  async function committedProgress(): Promise<HeldProgress> {
    const commit = await broker.committed(id, heldTopic, 0);
    if (commit === null) return { lookedTo: 0, waiting: new Map() };
    const progress = decodeHeldProgress(await textOfCommit(broker, name, commit));
    if (progress !== null && firstToMove(progress) === commit.offset) return progress;
    throw new RollstreamError('RS_DATA_VERSION', `the commit of ${id} was not written by this version`, {
      facts: { topic: heldTopic, offset: commit.offset },
    });
  }

  /** What the log has deleted cannot be moved: it stays in the books as held. */
  function withoutDeleted(progress: HeldProgress, start: number): HeldProgress {
    if (firstToMove(progress) >= start) return progress;
    if (firstToMove(progress) > 0) log.error({ topic: heldTopic, from: firstToMove(progress), start }, 'held, deleted');
    const lookedTo = Math.max(progress.lookedTo, start);
    const left = [...progress.waiting].map(([runId, offset]) => [runId, Math.max(offset, start)] as const);
    return { lookedTo, waiting: new Map(left.filter(([, offset]) => offset < lookedTo)) };
  }

  async function forward(ended: AbortSignal): Promise<void> {
    const outage = createRetryOutage({ log, sleep, ended });
    let owned: { readonly producer: TransactionalProducer; progress: HeldProgress; unsavedBytes: number } | null = null;

    const giveUp = async (): Promise<void> => {
      const producer = owned?.producer;
      owned = null;
      await producer?.close().catch((error: unknown) => log.warn({ err: error }, 'closing a producer'));
    };

    const own = async (): Promise<NonNullable<typeof owned>> => {
      if (owned !== null) return owned;
      // FENCE, THEN READ: what the process before was moving is in the commit, or never will be.
      const producer = await broker.transactional(id);
      try {
        owned = { producer, progress: await committedProgress(), unsavedBytes: 0 };
        return owned;
      } catch (error) {
        await producer.close();
        throw error;
      }
    };

    /** Looks at one batch; false: there is nothing to look at. */
    const look = async (): Promise<boolean> => {
      const { start, end } = await broker.bounds(heldTopic, 0);
      // A pipeline that never held anything has no producer for it.
      if (end === 0) return false;
      const mine = await own();
      mine.progress = withoutDeleted(mine.progress, start);
      const { progress } = mine;
      if (progress.lookedTo >= end && progress.waiting.size === 0) return false;
      const { mayMoveTo: mayRelease, goneBelow } = await readMovable(store, firstToMove(progress));
      // What is passed over must not stop what is behind it.
      const mayMoveTo: MayMoveTo = (runId) => Math.max(mayRelease(runId), goneBelow(runId) - 1);
      const from = nextToLookAt(progress, mayMoveTo);
      if (from >= end) return false;
      // NOTHING THAT CAME AFTER THE GATES WERE READ. 1 the gate is read, open; 2 it closes, and a lane holds a record; 3 the record
      // is read, too, and moved by what was true before it was held.
      const read = (await broker.read(heldTopic, 0, from, { maxBytes: BATCH_BYTES, maxWaitMs: 0 })).filter(
        ({ offset }) => offset < end,
      );
      const records = withoutBrokenGroup(read, end);
      const to = (records.at(-1)?.offset ?? from - 1) + 1;
      if (to === from) return false;
      const { moved, next } = lookThroughHeld(progress, { from, to, records }, mayMoveTo, goneBelow);
      mine.unsavedBytes += records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      if (moved.length > 0 || mine.unsavedBytes >= UNSAVED_BYTES) {
        await move(mine.producer, moved, next);
        mine.unsavedBytes = 0;
      }
      mine.progress = next;
      return true;
    };

    const move = async (producer: TransactionalProducer, moved: readonly LogRecord[], next: HeldProgress) => {
      const { rows, unreadable } = await releasedRows(moved);
      for (const { offset } of unreadable) log.error({ topic: heldTopic, offset }, 'not a trajectory; it is left here');
      if (rows.length > 0) await store.insert(encodeReleased(rows));
      const left = new Set(unreadable);
      const ready = moved
        .filter((record) => !left.has(record))
        .map(({ key, value, headers }) => ({ topic: readyTopic, record: { key, value, headers, partition: 0 } }));
      const { records, commit } = commitSaying(name, firstToMove(next), encodeHeldProgress(next));
      try {
        await producer.run({ records: [...ready, ...records], commit });
      } catch (error) {
        // Whether it was done may be unknown: the commit says it, once this producer is fenced.
        await giveUp();
        throw error;
      }
      if (ready.length > 0)
        log.info({ moved: ready.length, waitingRuns: next.waiting.size }, 'held trajectories are ready');
    };

    workers += 1;
    ended.addEventListener('abort', () => wake.abort(), { once: true });
    try {
      while (!ended.aborted) {
        const asked = waiters.length;
        const isMore = await outage('forwarding held trajectories', look).catch(async (error: unknown) => {
          if (!(error instanceof RollstreamError && error.code === 'RS_FENCED')) throw error;
          await giveUp();
          await sleep(FENCED_WAIT_MS, ended);
          return true;
        });
        if (isMore) continue;
        for (const resolve of waiters.splice(0, asked)) resolve();
        if (waiters.length > 0 || ended.aborted) continue;
        if (wake.signal.aborted) wake = new AbortController();
        await sleep(POLL_MS, wake.signal);
      }
    } catch (error) {
      if (!ended.aborted) throw error;
    } finally {
      workers -= 1;
      if (workers === 0) for (const resolve of waiters.splice(0)) resolve();
      await giveUp();
    }
  }

  return {
    forward,
    async drained() {
      if (workers === 0) return;
      const done = new Promise<void>((resolve) => waiters.push(resolve));
      wake.abort();
      await done;
    },
  };
}
