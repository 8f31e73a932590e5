import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Segment, type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import { RollstreamError } from '../errors.ts';
import type { Codecs } from '../registry/codecs.ts';
import { type BlobStore, isSha256 } from './blob-store.ts';
import { SEGMENTS_FIELD } from './segments-blob.ts';

/** A trajectory as it stands on a topic: its bytes name the schema that it was written with. */
export interface StoredTrajectory {
  readonly offset: number;
  readonly record: Buffer;
  readonly trajectory: Trajectory;
}

/**
 * As if it had never been too large: token data that went to a blob is put back. RS_BLOB_DAMAGED names offset and SHA-256 where it
 * is not there any more, or is not what was written; RS_CONFIG: no blob folder is configured.
 */
export type ResolveSegments = (stored: StoredTrajectory) => Promise<Trajectory>;

/** The schemas of the records must have been prepared. `blobs` null: there is no folder. */
export function createResolveSegments(
  blobs: BlobStore | null,
  codecs: Pick<Codecs, 'decoderOfField'>,
): ResolveSegments {
  const decode = codecs.decoderOfField<Segment[]>(trajectorySchema, SEGMENTS_FIELD);

  return async function resolveSegments({ offset, record, trajectory }) {
    const ref = trajectory.segments_ref;
    if (ref === null) return trajectory;
    const { sha256, length } = ref;
    if (blobs === null) throw noBlobFolder();
    if (!isSha256(sha256)) throw unreadable(offset, sha256, 'is not the name of a blob');
    const bytes = await blobs.read(sha256);
    if (bytes === 'blob_missing')
      throw unreadable(offset, sha256, 'is not there: it was removed (blobs.retention) or lost');
    if (bytes === 'blob_damaged') throw unreadable(offset, sha256, 'is damaged: its bytes have another SHA-256');
    if (bytes.length !== length) throw unreadable(offset, sha256, `has ${bytes.length} bytes, not ${length}`);
    const id = schemaIdOf(record);
    if (typeof id !== 'number') throw unreadable(offset, sha256, 'belongs to a record that names no schema');
    const decoded = decode(id, bytes);
    if (decoded.kind === 'ok') return { ...trajectory, segments: decoded.value, segments_ref: null };
    const fault = decoded.kind === 'dead_letter' ? `${decoded.fault.code}: ${decoded.fault.got}` : decoded.kind;
    throw unreadable(offset, sha256, `is no list of segments (${fault})`);
  };
}

/** What only a folder can answer. */
export function noBlobFolder(): RollstreamError {
  return new RollstreamError(
    'RS_CONFIG',
    'there is no blob folder: set blobs.folder to the one that all servers share',
    {
      facts: { field: 'blobs.folder' },
    },
  );
}

function unreadable(offset: number, sha256: string, what: string): RollstreamError {
  const message = `the token data of the ready trajectory at offset ${offset} cannot be read: blob ${sha256} ${what}`;
  return new RollstreamError('RS_BLOB_DAMAGED', message, { facts: { record: offset, sha256 } });
}
