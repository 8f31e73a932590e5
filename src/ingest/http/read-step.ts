import type { FramedRecord } from '../../access/record-frames.ts';
import type { Refusal } from '../importer.ts';

/** The bytes of one record of a body, for dead-letter. */
export interface RecordBytes {
  /** null: too large to be kept. */
  readonly bytes: Buffer | null;
  /** Of the bytes, hex. */
  readonly sha256: string;
  readonly length: number;
}

/** One record of a body: what goes onto the log, or why it does not. */
export type ReadStep = { readonly source: RecordBytes } & (
  | { readonly record: FramedRecord }
  | { readonly refused: Refusal }
);

/** The body cannot be read on: torn, cut, or something else from here on. What was read before stands. */
export class BodyFault extends Error {}
