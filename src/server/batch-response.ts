import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { ResolveSegments, StoredTrajectory } from '../blobs/create-resolve-segments.ts';
import type { LeasedBatch } from '../delivery/delivery.ts';
import { RollstreamError } from '../errors.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import type { Codecs } from '../registry/codecs.ts';
import { batchHead } from './batch-head.ts';
import { createFewAtOnce } from './few-at-once.ts';
import { createInTurns } from './in-turns.ts';
import { piecewise } from './piecewise.ts';

/** Media type of a batch as it stands on the ready topic. */
export const BATCH_TYPE = 'application/vnd.rollstream.batch';

const LENGTH_BYTES = 4;
/** Batches whose JSON is begun at once: each decodes all its records, one after the other. */
const MOST_CHECKED = 2;

/** The head as JSON, then each record in Confluent wire format, each behind its length as little-endian uint32. */
export function packedResponse(batch: LeasedBatch): Promise<Response> {
  const frames = [Buffer.from(JSON.stringify(batchHead(batch))), ...batch.records];
  const bytes = frames.reduce((sum, frame) => sum + LENGTH_BYTES + frame.length, 0);
  return piecewise(framed(frames), { 'content-type': BATCH_TYPE, 'content-length': String(bytes) });
}

/** What a batch is unpacked with. */
export interface Unpacking {
  readonly codecs: Pick<Codecs, 'prepare' | 'decoderOf'>;
  /** Puts back token data that went to a blob: one trajectory at a time, since it is large. */
  readonly resolve: ResolveSegments;
}

/** null: the client was gone before its answer began. */
export type JsonResponse = (batch: LeasedBatch, signal: AbortSignal) => Promise<Response | null>;

/**
 * The head, and `trajectories` unpacked as `rollstream ready --json` has them. A decoded trajectory has several times the bytes of
 * its record, as text again several times that: what is held beside the records of a client that never reads is a piece or two.
 * Decoding blocks: it is done record by record, between which other requests are answered.
 */
export function createJsonResponse({ codecs, resolve }: Unpacking): JsonResponse {
  const decode = codecs.decoderOf<Trajectory>(trajectorySchema);
  const fewAtOnce = createFewAtOnce(MOST_CHECKED);
  const inTurns = createInTurns();

  const storedOf = (record: Buffer, offset: number): StoredTrajectory => {
    const outcome = decode(record);
    if (outcome.kind === 'ok') return { offset, record, trajectory: outcome.value };
    const fault = outcome.kind === 'dead_letter' ? `${outcome.fault.code}: ${outcome.fault.got}` : outcome.kind;
    const message = `the trajectory at offset ${offset} cannot be read (${fault})`;
    throw new RollstreamError('RS_INPUT_REFUSED', message, { facts: { record: offset } });
  };
  const decoded = ({ records, entries }: LeasedBatch): Array<() => Promise<StoredTrajectory>> =>
    records.map((record, index) => () => inTurns(() => storedOf(record, entries[index]?.offset ?? -1)));

  async function* textOf(batch: LeasedBatch): AsyncGenerator<Buffer, void, void> {
    yield Buffer.from(`${JSON.stringify(batchHead(batch)).slice(0, -1)},"trajectories":[`);
    for (const [index, stored] of decoded(batch).entries()) {
      const whole = await resolve(await stored());
      const before = index === 0 ? '' : ',';
      yield await inTurns(() => Buffer.from(`${before}${JSON.stringify(unpackTrajectory(whole))}`));
    }
    yield Buffer.from(']}');
  }

  return async function jsonResponse(batch, signal) {
    await codecs.prepare(batch.records.map(schemaIdOf).filter((id) => typeof id === 'number'));
    return fewAtOnce(signal, async () => {
      // All are decoded before the first byte leaves, also what went to a blob, so that what cannot be is an error and not half an
      // answer; and once more each in its turn.
      for (const stored of decoded(batch)) {
        if (signal.aborted) return null;
        const one = await stored();
        if (one.trajectory.segments_ref !== null) await resolve(one);
      }
      return piecewise(textOf(batch), { 'content-type': 'application/json' });
    });
  };
}

function* framed(frames: readonly Buffer[]): Generator<Buffer, void, void> {
  for (const frame of frames) {
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(frame.length);
    yield length;
    yield frame;
  }
}
