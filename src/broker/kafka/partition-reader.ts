import { RollstreamError } from '../../errors.ts';
import type { LogRecord, ReadLimits } from '../port.ts';
import { decodeBatches } from './decode-batches.ts';
import type { KafkaOptions } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { persist } from './persist.ts';
import { fetchRequest } from './requests/fetch.ts';
import { sendRequest, throwOn } from './send-request.ts';
import { toBrokerError, typeOf } from './to-broker-error.ts';
import type { Topics } from './topics.ts';

/** What a broker may hold a fetch back for, when there is nothing. */
const LONGEST_FETCH_MS = 500;
/** The same for one sent ahead: a read that may not wait has to wait it out. Shorter costs an idle lane more polls. */
const LONGEST_AHEAD_MS = 250;
/** A leader that moves, or a connection that idled out, is found again; longer is an outage, which the caller has to know of. */
const PATIENCE_MS = 2_000;
/** A fetch asks for at least this much: the rest is kept for the next read. */
const LEAST_FETCH_BYTES = 64 * 1024;
/** What a record costs in memory beside its key and value, so that a limit in bytes limits empty records too. */
const RECORD_BYTES = 100;

/** Reads one partition over its own connection: a fetch that waits for records holds up what comes after it on that connection. */
export interface PartitionReader {
  /** As Broker.read, one at a time; once `stop` is aborted it answers [] at once. */
  read(offset: number, limits: ReadLimits, stop?: AbortSignal): Promise<LogRecord[]>;
  /** Ends a waiting read with RS_CLOSED. */
  close(): Promise<void>;
}

interface Chunk {
  /** The offset whose read gets it. */
  readonly from: number;
  readonly records: readonly LogRecord[];
  /** Where the log goes on: after the markers of transactions, too. */
  readonly next: number;
}

export function createPartitionReader(
  deps: { readonly options: KafkaOptions; readonly topics: Topics },
  topic: string,
  partition: number,
  /** Fetch what comes next while the caller works on what came. */
  readsAhead: boolean,
): PartitionReader {
  const nodes = createNodes(deps.options);
  /** Fetched and not read yet; without records it only says where the log goes on. */
  let held: Chunk | null = null;
  let ahead: { readonly offset: number; readonly chunk: Promise<Chunk> } | null = null;
  let endWaits: (error: Error) => void = () => undefined;
  const closed = new Promise<never>((_, reject) => {
    endWaits = reject;
  });
  closed.catch(() => undefined);

  async function fetch(from: number, maxBytes: number, maxWaitMs: number): Promise<Chunk> {
    const limits = { maxBytes: Math.max(maxBytes, LEAST_FETCH_BYTES), maxWaitMs };
    const ask = async (): Promise<Chunk> => {
      const node = await nodes.at(await deps.topics.leaderOf(topic, partition));
      const fetched = await sendRequest(node, fetchRequest(topic, partition, from, limits));
      throwOn(fetched.errorCode);
      return { from, ...decodeBatches(topic, partition, from, fetched) };
    };
    try {
      return await persist(performance.now() + PATIENCE_MS, ask, () => deps.topics.forget(topic));
    } catch (error) {
      throw typeOf(error) === 'OFFSET_OUT_OF_RANGE'
        ? outOfRange(from)
        : toBrokerError(error, `reading ${topic}/${partition}`);
    }
  }

  function outOfRange(offset: number): RollstreamError {
    return new RollstreamError(
      'RS_OFFSET_OUT_OF_RANGE',
      `offset ${offset} of ${topic}/${partition} cannot be read: it is not in the log`,
      { facts: { topic, partition, offset } },
    );
  }

  async function chunkAt(offset: number, { maxBytes }: ReadLimits, waitMs: number): Promise<Chunk> {
    const inFlight = ahead;
    ahead = null;
    if (inFlight?.offset === offset) return inFlight.chunk;
    // Answers come in order, so another offset's is waited for anyway.
    await inFlight?.chunk.catch(() => undefined);
    return fetch(offset, maxBytes, Math.max(0, Math.min(waitMs, LONGEST_FETCH_MS)));
  }

  function readAhead(offset: number, { maxBytes }: ReadLimits): void {
    const chunk = fetch(offset, maxBytes, LONGEST_AHEAD_MS);
    chunk.catch(() => undefined);
    ahead = { offset, chunk };
  }

  function take(chunk: Chunk, limits: ReadLimits): LogRecord[] {
    const { records, rest } = split(chunk, limits.maxBytes);
    held = rest;
    if (readsAhead && rest.records.length === 0) readAhead(rest.next, limits);
    return records;
  }

  return {
    async read(offset, limits, stop) {
      if (!Number.isSafeInteger(offset) || offset < 0) throw outOfRange(offset);
      const deadline = performance.now() + limits.maxWaitMs;
      const stopped = stop === undefined ? null : abortOf(stop);
      try {
        if (held?.from === offset && held.records.length > 0) return take(held, limits);
        let at = held?.from === offset ? held.next : offset;
        for (;;) {
          if (stop?.aborted) return [];
          const fetched = chunkAt(at, limits, deadline - performance.now());
          // Of a fetch that loses the race nobody hears.
          fetched.catch(() => undefined);
          const waits: Array<Promise<Chunk | null>> = [fetched, closed];
          if (stopped !== null) waits.push(stopped.promise);
          const chunk = await Promise.race(waits);
          if (chunk === null) return [];
          // Markers are passed once: `offset` stays what the caller has to ask for.
          held = { from: offset, records: chunk.records, next: chunk.next };
          if (chunk.records.length > 0) return take(held, limits);
          if (chunk.next > at) at = chunk.next;
          else if (performance.now() >= deadline) return [];
        }
      } finally {
        stopped?.release();
      }
    },
    async close() {
      endWaits(new RollstreamError('RS_CLOSED', 'the connection to Kafka is closed'));
      await nodes.close();
    },
  };
}

function split(chunk: Chunk, maxBytes: number): { readonly records: LogRecord[]; readonly rest: Chunk } {
  let bytes = 0;
  let count = 0;
  for (const { key, value } of chunk.records) {
    bytes += (key?.length ?? 0) + (value?.length ?? 0) + RECORD_BYTES;
    if (bytes > maxBytes && count > 0) break;
    count++;
  }
  const records = chunk.records.slice(0, count);
  const from = (records.at(-1)?.offset ?? chunk.from) + 1;
  return { records, rest: { from, records: chunk.records.slice(count), next: chunk.next } };
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<null>; release(): void } {
  let release: () => void = () => undefined;
  const promise = new Promise<null>((resolve) => {
    const abort = (): void => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    release = () => signal.removeEventListener('abort', abort);
  });
  return { promise, release };
}
