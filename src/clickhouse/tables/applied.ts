import type { InsertBatch } from '../port.ts';
import { RowBinaryWriter } from '../row-binary.ts';

/** A policy that a person put in force. */
export interface AppliedRow {
  readonly topic: string;
  /** From 1, by topic: the highest is the last. */
  readonly number: number;
  readonly policyId: string;
  readonly name: string;
  readonly appliedAtMs: number;
}

/** Written after the document that it names, and before the control events that put it in force. */
export function encodeApplied({ topic, number, policyId, name, appliedAtMs }: AppliedRow): InsertBatch {
  const writer = new RowBinaryWriter();
  writer.string(topic);
  writer.int64(number);
  writer.string(policyId);
  writer.string(name);
  writer.int64(appliedAtMs * 1000);
  writer.version(0, number);
  return {
    table: 'applied',
    columns: ['topic', 'number', 'policy_id', 'name', 'applied_at', 'version'],
    rowCount: 1,
    rowBinary: writer.bytes,
  };
}
