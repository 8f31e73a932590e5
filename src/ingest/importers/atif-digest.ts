import { createHash, type Hash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue, setOwn } from '../exact-number.ts';
import { jsonText } from '../json-text.ts';

/** Fewer numbers are written as they are. */
const LEAST_NUMBERS = 16;

/**
 * SHA-256 of what a document says, whatever lies beside it and however it was laid out. Lists of numbers (ids, logprobs) go in
 * as doubles: printing them would cost more than all the rest of reading a document.
 */
export function digestOf(value: JsonValue): string {
  const hash = createHash('sha256');
  const text = jsonText(withoutNumbers(value, hash));
  return hash.update(text).digest('hex');
}

function withoutNumbers(value: JsonValue, hash: Hash): JsonValue {
  if (Array.isArray(value)) {
    if (value.length < LEAST_NUMBERS || typeof value[0] !== 'number')
      return value.map((item) => withoutNumbers(item, hash));
    const numbers = new Float64Array(value.length);
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== 'number') return value;
      numbers[i] = item;
    }
    hash.update(numbers);
    return `${value.length} numbers`;
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, withoutNumbers(item, hash));
  return copy;
}
