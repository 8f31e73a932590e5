import type { Logprobs, TokenIds } from './recorded.ts';

/** Thrown where a value cannot be recorded as what it claims to be; caught in the rollout, which keeps it as a note. */
export class Unsound extends Error {
  readonly field: string;
  readonly expected: string;
  readonly got: string;

  constructor(field: string, expected: string, got: string) {
    super(`${field}: expected ${expected}, got ${got}`);
    this.field = field;
    this.expected = expected;
    this.got = got;
  }
}

const BYTES_A_TOKEN = 4;

/** Token ids as uint32, each exactly what was given. */
export function tokenIdsOf(values: TokenIds, field: string): Uint32Array {
  if (values instanceof Uint32Array) return values;
  if (values instanceof Uint8Array) return new Uint32Array(alignedCopy(values, field));
  const ids = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const id = typeof value === 'bigint' ? Number(value) : value;
    ids[i] = id ?? -1;
    // A number that is negative, fractional or too large leaves another one behind.
    if (ids[i] !== id) throw new Unsound(`${field}[${i}]`, 'a token id from 0 to 4294967295', String(value));
  }
  return ids;
}

export interface ReadLogprobs {
  /** null: a token has none, or one that is no finite number. */
  readonly values: Float32Array | null;
  /** Places of tokens without a logprob. */
  readonly missing: readonly number[];
  /** What no float32 can say, by place: NaN, infinities. */
  readonly unsound: Readonly<Record<string, string>>;
}

/** Logprobs as float32: what the engine computed in is kept to the bit. */
export function logprobsOf(given: Logprobs, field: string): ReadLogprobs {
  const from = given instanceof Uint8Array ? new Float32Array(alignedCopy(given, field)) : given;
  const values = from instanceof Float32Array ? from : new Float32Array(from.length);
  const missing: number[] = [];
  const unsound: Record<string, string> = {};
  for (let i = 0; i < from.length; i++) {
    const value = from[i];
    if (typeof value === 'number') {
      if (values !== from) values[i] = value;
      if (!Number.isFinite(values[i])) unsound[i] = String(value);
    } else if (value === null || value === undefined) missing.push(i);
    else throw new Unsound(`${field}[${i}]`, 'a number or null', typeof value);
  }
  const isWhole = missing.length === 0 && Object.keys(unsound).length === 0;
  return { values: isWhole ? values : null, missing, unsound };
}

/** A JSON array. Each float32 is written as the double it is, which a reader rounds back to the same bits. */
export function arrayText(values: Uint32Array | Float32Array): string {
  // JSON has a negative zero, and String(-0) has lost it.
  if (values instanceof Float32Array && values.some((value) => Object.is(value, -0)))
    return `[${Array.from(values, (value) => (Object.is(value, -0) ? '-0.0' : String(value))).join(',')}]`;
  return `[${values.join(',')}]`;
}

/** Little-endian as Node's machines are; copied, since a view has to begin at a multiple of four. */
function alignedCopy(bytes: Uint8Array, field: string): ArrayBuffer {
  if (bytes.length % BYTES_A_TOKEN !== 0) throw new Unsound(field, 'a multiple of 4 bytes', `${bytes.length} bytes`);
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy.buffer;
}
