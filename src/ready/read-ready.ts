import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { ReadyPage, ReadyQuery } from '../access/access.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createResolveSegments } from '../blobs/create-resolve-segments.ts';
import type { Broker, LogRecord } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';
import type { Codecs } from '../registry/codecs.ts';
import type { TrajectoryJson } from './trajectory-json.ts';
import { unpackTrajectory } from './unpack.ts';

/** Packed bytes of one read, and of the blobs of one page but for the last; a page unpacks to several times that. */
const READ_BYTES = 4 * 2 ** 20;

export interface ReadyDeps {
  readonly broker: Broker;
  readonly codecs: Codecs;
  /** Where token data of large trajectories is; null: nowhere. */
  readonly blobs: BlobStore | null;
  /** Name of the ready topic. */
  readonly topic: string;
  /** The record at this offset is of a deleted run: it is passed over, and its blob may be removed. Absent: none is. */
  readonly isGone?: (runId: string, offset: number) => boolean;
}

/**
 * Pages of the ready topic, in ready order. A page ends after one read, so that its size is bounded. One that is waited for
 * and holds nothing that was asked for, but trajectories of other runs, goes on behind them.
 */
export function createReadReady(deps: ReadyDeps): (query: ReadyQuery) => Promise<ReadyPage> {
  const decode = deps.codecs.decoderOf<Trajectory>(trajectorySchema);
  const resolve = createResolveSegments(deps.blobs, deps.codecs);

  const trajectoryOf = (record: LogRecord): Trajectory => {
    const outcome = record.value === null ? null : decode(record.value);
    if (outcome?.kind === 'ok') return outcome.value;
    const fault = outcome?.kind === 'dead_letter' ? `${outcome.fault.code}: ${outcome.fault.got}` : 'no value';
    throw new RollstreamError(
      'RS_INPUT_REFUSED',
      `${record.topic}: the record at offset ${record.offset} cannot be read (${fault})`,
      {
        facts: { record: record.offset },
      },
    );
  };

  /** null: its blob cannot be read; the page ends before it, and the next one says so. */
  const wholeOrEnd = async (
    { offset, value }: LogRecord,
    trajectory: Trajectory,
    isBehindOthers: boolean,
  ): Promise<Trajectory | null> => {
    if (value === null || trajectory.segments_ref === null) return trajectory;
    try {
      return await resolve({ offset, record: value, trajectory });
    } catch (error) {
      if (isBehindOthers && error instanceof RollstreamError && error.code === 'RS_BLOB_DAMAGED') return null;
      throw error;
    }
  };

  const readPage = async (query: ReadyQuery): Promise<ReadyPage> => {
    const { start, end } = await deps.broker.bounds(deps.topic, 0);
    const from = Math.max(query.from, start);
    if (from >= end && query.waitMs === 0) return { trajectories: [], next: from, atEnd: true };
    const limits = { maxBytes: READ_BYTES, maxWaitMs: query.waitMs };
    const reading = deps.broker.read(deps.topic, 0, from, limits);
    const records = await orNothingOnceAborted(reading, query.signal);
    const ids = records.flatMap(({ value }) => (value === null ? [] : [schemaIdOf(value)]));
    await deps.codecs.prepare(ids.filter((id) => typeof id === 'number'));
    const trajectories: TrajectoryJson[] = [];
    let next = from;
    let blobBytes = 0;
    for (const record of records) {
      if (trajectories.length >= query.limit || blobBytes >= READ_BYTES) break;
      const trajectory = trajectoryOf(record);
      const isWanted =
        (query.runId === null || trajectory.run_id === query.runId) &&
        (query.groupId === null || trajectory.group_id === query.groupId) &&
        deps.isGone?.(trajectory.run_id, record.offset) !== true;
      if (isWanted) {
        const whole = await wholeOrEnd(record, trajectory, trajectories.length > 0);
        if (whole === null) break;
        blobBytes += trajectory.segments_ref?.length ?? 0;
        trajectories.push(unpackTrajectory(whole));
      }
      next = record.offset + 1;
    }
    return { trajectories, next, atEnd: next >= end };
  };

  return async (query) => {
    const until = performance.now() + query.waitMs;
    let page = await readPage(query);
    while (page.trajectories.length === 0 && query.signal?.aborted !== true) {
      const leftMs = Math.ceil(until - performance.now());
      if (leftMs <= 0) break;
      page = await readPage({ ...query, from: page.next, waitMs: leftMs });
    }
    return page;
  };
}

/** A reader that goes on for days reads with one signal: nothing may be left on it. */
async function orNothingOnceAborted(
  reading: Promise<LogRecord[]>,
  signal: AbortSignal | undefined,
): Promise<LogRecord[]> {
  if (signal === undefined) return reading;
  if (signal.aborted) return [];
  let stop: () => void = () => undefined;
  const aborted = new Promise<LogRecord[]>((resolve) => {
    stop = () => resolve([]);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([reading, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
