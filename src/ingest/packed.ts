import type { JsonValue } from './exact-number.ts';
import { Refused, shown } from './fields.ts';

/**
 * Token ids as little-endian uint32, checked and packed in one pass. Node runs on little-endian machines only, and its pool,
 * which spares an allocation a call, is aligned to 8 bytes.
 */
export function packTokenIds(values: readonly JsonValue[], field: string, from = 0, to = values.length): Buffer {
  const bytes = Buffer.allocUnsafe((to - from) * 4);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, to - from);
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (typeof value === 'number') {
      words[i - from] = value;
      // A number that is negative, fractional or too large leaves another one behind.
      if (words[i - from] === value) continue;
    }
    throw new Refused(`${field}[${i}]`, 'a token id from 0 to 4294967295', shown(value));
  }
  return bytes;
}

export interface PackedLogprobs {
  /** null: a sampled token has none. */
  readonly bytes: Buffer | null;
  /** Positions, counted from `from`, of tokens without a logprob. */
  readonly missing: readonly number[];
}

/** Logprobs of sampled tokens as little-endian float32. NaN and what a float32 cannot hold are refused, null is missing. */
export function packLogprobs(
  values: readonly JsonValue[],
  field: string,
  from = 0,
  to = values.length,
): PackedLogprobs {
  const bytes = Buffer.allocUnsafe((to - from) * 4);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, to - from);
  const missing: number[] = [];
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (typeof value === 'number') {
      floats[i - from] = value;
      if (Number.isFinite(floats[i - from])) continue;
    } else if (value === null) {
      missing.push(i - from);
      continue;
    }
    throw new Refused(`${field}[${i}]`, 'a finite logprob or null', shown(value));
  }
  return { bytes: missing.length === 0 ? bytes : null, missing };
}

/** Refuses arrays that should have one value for each token and have not. */
export function sameLength(values: readonly JsonValue[], field: string, tokens: number, of = 'token_ids'): void {
  if (values.length === tokens) return;
  throw new Refused(field, counted(tokens), counted(values.length), `${counted(values.length)} for ${tokens} ${of}`);
}

function counted(values: number): string {
  return values === 1 ? '1 value' : `${values} values`;
}
