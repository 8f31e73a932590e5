import type { VerdictStatus } from '../../../schemas/generated/step-event.ts';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';
import { asNullableFloat64, asNullableString } from '../value-writers.ts';

/** What a verifier answered about a document, so that it is not asked again. */
export interface VerifierResultRow {
  readonly scorer: string;
  readonly scorer_version: string;
  /** SHA-256 of what it was shown, hex. */
  readonly content_hash: string;
  readonly status: VerdictStatus;
  /** null: missing. Null is not 0. */
  readonly rewards: Readonly<Record<string, number | null>>;
  readonly report: string | null;
  /** null: unknown. */
  readonly cost: number | null;
  readonly duration_ms: number;
  /** ms since the epoch. */
  readonly atMs: number;
  readonly version: bigint;
}

const COLUMNS = [
  ...['scorer', 'scorer_version', 'content_hash', 'status', 'rewards', 'report', 'cost', 'duration_ms', 'at'],
  'version',
];

export function encodeVerifierResults(rows: readonly VerifierResultRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const row of rows) {
    writer.string(row.scorer);
    writer.string(row.scorer_version);
    writer.string(row.content_hash);
    writer.string(row.status);
    writer.map(row.rewards, asNullableFloat64);
    asNullableString(writer, row.report);
    asNullableFloat64(writer, row.cost);
    writer.float64(row.duration_ms);
    writer.int64(row.atMs);
    writer.uint64(row.version);
  }
  return { table: 'verifier_results', columns: COLUMNS, rowCount: rows.length, rowBinary: writer.bytes };
}
