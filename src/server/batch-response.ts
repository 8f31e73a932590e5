import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { ResolveSegments, StoredTrajectory } from '../blobs/create-resolve-segments.ts';
import type { LeasedBatch } from '../delivery/delivery.ts';
import { RollstreamError } from '../errors.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import type { Codecs } from '../registry/codecs.ts';
import { batchHead } from './batch-head.ts';
import { piecewise } from './piecewise.ts';

/** Media type of a batch as it stands on the ready topic. */
export const BATCH_TYPE = 'application/vnd.rollstream.batch';

const LENGTH_BYTES = 4;

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

/** The head, and `trajectories` unpacked as `rollstream ready --json` has them. */
export function createJsonResponse({ codecs, resolve }: Unpacking): (batch: LeasedBatch) => Promise<Response> {
  const decode = codecs.decoderOf<Trajectory>(trajectorySchema);

  const storedOf = (record: Buffer, offset: number): StoredTrajectory => {
    const outcome = decode(record);
    if (outcome.kind === 'ok') return { offset, record, trajectory: outcome.value };
    const fault = outcome.kind === 'dead_letter' ? `${outcome.fault.code}: ${outcome.fault.got}` : outcome.kind;
    const message = `the trajectory at offset ${offset} cannot be read (${fault})`;
    throw new RollstreamError('RS_INPUT_REFUSED', message, { facts: { record: offset } });
  };

  async function* textOf(batch: LeasedBatch, stored: readonly StoredTrajectory[]): AsyncGenerator<Buffer, void, void> {
    yield Buffer.from(`${JSON.stringify(batchHead(batch)).slice(0, -1)},"trajectories":[`);
    for (const [index, one] of stored.entries()) {
      const text = JSON.stringify(unpackTrajectory(await resolve(one)));
      yield Buffer.from(index === 0 ? text : `,${text}`);
    }
    yield Buffer.from(']}');
  }

  return async function jsonResponse(batch) {
    await codecs.prepare(batch.records.map(schemaIdOf).filter((id) => typeof id === 'number'));
    // All are decoded before the first byte leaves, so that what cannot be is an error and not half an answer.
    const stored = batch.records.map((record, index) => storedOf(record, batch.entries[index]?.offset ?? -1));
    // So is what went to a blob, which is read once more when its turn comes: all of them at once may be more than memory holds.
    for (const one of stored) if (one.trajectory.segments_ref !== null) await resolve(one);
    return piecewise(textOf(batch, stored), { 'content-type': 'application/json' });
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
