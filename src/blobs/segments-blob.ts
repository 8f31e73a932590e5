import { createHash } from 'node:crypto';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { type BlobRef, type SegmentInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import { fieldType } from '../registry/field-type.ts';
import { blobUri, type NewBlob } from './blob-store.ts';

/** Field of a trajectory that goes to a blob. */
export const SEGMENTS_FIELD = 'segments';

const segmentsType = fieldType(avroTypeOf(trajectorySchema), SEGMENTS_FIELD);

/**
 * Token data as a blob: the Avro value of `segments` as it would stand in the record, by the schema that the record names. Equal
 * segments are equal bytes, so that a replay writes the same blob.
 */
export function segmentsBlob(segments: readonly SegmentInit[]): { readonly ref: BlobRef; readonly blob: NewBlob } {
  if (segmentsType instanceof Error) throw segmentsType;
  const bytes = segmentsType.toBuffer(segments);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ref: { uri: blobUri(sha256), sha256, length: bytes.length }, blob: { sha256, bytes } };
}
