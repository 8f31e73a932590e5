import { createHash } from 'node:crypto';
import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';

/** A policy or taxonomy that was in force, as it was read. Its id is the SHA-256 of its content. */
export interface DocumentRow {
  readonly kind: 'policy' | 'taxonomy';
  readonly content: string;
}

/** Documents are written before the control event that names them, so that any decision can be explained. */
export function encodeDocuments(rows: readonly DocumentRow[]): InsertBatch {
  const writer = new RowBinaryWriter();
  for (const { kind, content } of rows) {
    writer.string(createHash('sha256').update(content).digest('hex'));
    writer.string(kind);
    writer.string(content);
  }
  return {
    table: 'documents',
    columns: ['id', 'kind', 'content'],
    rowCount: rows.length,
    rowBinary: writer.bytes,
  };
}
