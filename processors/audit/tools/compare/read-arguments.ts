import { scanWholeJson } from '../parse/scan-json.ts';
import { isStrictObject, type StrictValue } from '../parse/strict-value.ts';
import { argumentsText } from './canonical-text.ts';
import { hashOfText } from './hash-of-text.ts';

/** Arguments that the loop told of. */
export interface LoopArguments {
  /** A text that is no JSON is that text. */
  readonly value: StrictValue;
  readonly text: string;
  readonly hash: number;
  readonly keys: number;
}

export function readArguments(json: string, isUntyped: boolean): LoopArguments {
  const scan = scanWholeJson(json);
  const value = scan.kind === 'ok' ? scan.value : json;
  const text = argumentsText(value, isUntyped);
  return { value, text, hash: hashOfText(text), keys: keysOf(value) };
}

/** How many arguments can be seen. A text or a list where an object should be counts as one, if there is anything in it. */
export function keysOf(value: StrictValue): number {
  if (isStrictObject(value)) return value.entries.size;
  if (typeof value === 'string') return value.trim() === '' || value.trim() === '{}' ? 0 : 1;
  if (value === null || typeof value === 'boolean') return 0;
  return value.kind === 'list' ? Math.min(1, value.items.length) : 1;
}
