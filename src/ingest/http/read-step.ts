import type { FramedRecord } from '../../access/record-frames.ts';
import type { JsonObject } from '../exact-number.ts';
import { idOrNull, Refused } from '../fields.ts';
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
  | { readonly run: string; readonly record: FramedRecord }
  /** `run` null: it cannot be told, since the record cannot be read. */
  | { readonly run: string | null; readonly refused: Refusal }
);

/** The body cannot be read on: torn, cut, or something else from here on. What was read before stands. */
export class BodyFault extends Error {}

/** The run of a record that may be wrong in any other way; null: it names none. */
export function runOf({ run_id }: JsonObject): string | null {
  try {
    return idOrNull(run_id, 'run_id');
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
