import type { ToldArguments } from '../../../model/tools-watch.ts';
import { detached } from '../around.ts';
import { scanWholeJson } from '../parse/scan-json.ts';
import { isStrictObject, type StrictValue } from '../parse/strict-value.ts';
import { argumentsText } from './canonical-text.ts';
import { compactHash } from './compact-hash.ts';
import { hashOfText } from './hash-of-text.ts';

/** Arguments that somebody told of. Nothing is parsed before it has to be: nearly always texts are the same but for blanks. */
export function toldArguments(text: string, isUntyped: boolean, isJson = false): ToldArguments {
  return { text, isUntyped, compact: null, isJson, hash: null, keys: null };
}

export function isSameTold(a: ToldArguments | null, b: ToldArguments | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  if (a.text !== null && a.text === b.text) return true;
  if ((a.isJson || b.isJson) && compactOf(a) === compactOf(b)) return true;
  return hashOfTold(a) === hashOfTold(b);
}

function compactOf(told: ToldArguments): number {
  told.compact ??= compactHash(told.text ?? '');
  return told.compact;
}

/** Of what they say, however it is written. */
export function hashOfTold(told: ToldArguments): number {
  return told.hash ?? read(told).hash;
}

export function keysOfTold(told: ToldArguments): number {
  return told.keys ?? read(told).keys;
}

/** A text that is no JSON is that text. */
export function valueOfTold({ text }: ToldArguments): StrictValue {
  const scan = scanWholeJson(text ?? '');
  return scan.kind === 'ok' ? scan.value : text;
}

/** One text for all ways to write them, for evidence; null: they were not kept. */
export function canonicalOfTold(told: ToldArguments): string | null {
  return told.text === null ? null : argumentsText(valueOfTold(told), told.isUntyped);
}

/** To be kept with an attempt: without the text where there is no room for it. */
export function keptTold(told: ToldArguments, withText: boolean): ToldArguments {
  const { text, isUntyped, compact, hash, keys } = told;
  if (withText && text !== null) return { text: detached(text), isUntyped, compact, isJson: told.isJson, hash, keys };
  return {
    text: null,
    isUntyped,
    compact: compactOf(told),
    hash: hashOfTold(told),
    keys: keysOfTold(told),
    isJson: told.isJson,
  };
}

function read(told: ToldArguments): { readonly hash: number; readonly keys: number } {
  const scan = scanWholeJson(told.text ?? '');
  const value = scan.kind === 'ok' ? scan.value : told.text;
  const hash = hashOfText(argumentsText(value, told.isUntyped));
  const keys = keysOf(value);
  told.isJson = scan.kind === 'ok';
  told.hash = hash;
  told.keys = keys;
  return { hash, keys };
}

/** How many arguments can be seen. A text or a list where an object should be counts as one, if there is anything in it. */
export function keysOf(value: StrictValue): number {
  if (isStrictObject(value)) return value.entries.size;
  if (typeof value === 'string') return value.trim() === '' || value.trim() === '{}' ? 0 : 1;
  if (value === null || typeof value === 'boolean') return 0;
  return value.kind === 'list' ? Math.min(1, value.items.length) : 1;
}
