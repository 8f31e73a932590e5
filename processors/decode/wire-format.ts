import type { Type } from 'avsc';
import type { Fault } from '../model/outcome.ts';

/** Confluent wire format: a byte 0, the schema's id as a big-endian uint32, then the Avro value. */

/** Bytes before the value. */
export const HEADER_BYTES = 5;
const MAGIC = 0;

/**
 * One growing buffer for all values: avsc's own `toBuffer` encodes twice what exceeds its 1 KB. It is kept, so a process holds
 * at most twice its largest record.
 */
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** The record for `value`. Throws what avsc throws when the value is not of the type. */
export function frame(id: number, type: Type, value: unknown): Buffer {
  let end = type.encode(value, scratch, HEADER_BYTES);
  if (end < 0) {
    // Minus the bytes that were missing.
    scratch = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(scratch.length - end)));
    end = type.encode(value, scratch, HEADER_BYTES);
  }
  scratch[0] = MAGIC;
  scratch.writeUInt32BE(id, 1);
  const record = Buffer.allocUnsafe(end);
  scratch.copy(record, 0, 0, end);
  return record;
}

export function schemaIdOf(record: Buffer): number | Fault {
  if (record.length < HEADER_BYTES) {
    return fault('too_short', `at least ${HEADER_BYTES} bytes: magic 0 and the schema id`, `${record.length} bytes`);
  }
  if (record[0] !== MAGIC) return fault('bad_magic', 'first byte 0 (Confluent wire format)', `${record[0]}`);
  return record.readUInt32BE(1);
}

function fault(code: string, expected: string, got: string): Fault {
  return { stage: 'decode', code, field: '', expected, got };
}
