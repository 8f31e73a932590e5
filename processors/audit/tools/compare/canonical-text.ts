import { scanWholeJson } from '../parse/scan-json.ts';
import { isStrictObject, type StrictValue } from '../parse/strict-value.ts';
import { canonicalNumber } from './canonical-number.ts';

/** One text for all ways to write a value: keys in order, numbers by their value, escapes as their characters. No recursion. */
export function canonicalText(value: StrictValue): string {
  const parts: string[] = [];
  /** What is still to be written, the next one last. */
  const work: Array<{ readonly value: StrictValue } | string> = [{ value }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const { value: item } = next;
    if (item === null || typeof item !== 'object') parts.push(JSON.stringify(item));
    else if (item.kind === 'number') parts.push(canonicalNumber(item.text));
    else if (item.kind === 'list') {
      work.push(']');
      for (let i = item.items.length - 1; i >= 0; i--) {
        work.push({ value: item.items[i] ?? null });
        if (i > 0) work.push(',');
      }
      work.push('[');
    } else {
      const entries = [...item.entries].sort(([a], [b]) => (a < b ? 1 : -1));
      work.push('}');
      for (const [i, [key, member]] of entries.entries()) {
        work.push({ value: member }, `${JSON.stringify(key)}:`);
        if (i < entries.length - 1) work.push(',');
      }
      work.push('{');
    }
  }
  return parts.join('');
}

const WORDS = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

/** The same for a value whose type the dialect does not write: `1` may be the number or the text. */
export function untypedText(value: StrictValue): string {
  if (typeof value !== 'string') return canonicalText(value);
  const word = WORDS.get(value);
  if (word !== undefined) return word;
  const scan = scanWholeJson(value);
  return scan.kind === 'ok' && typeof scan.value !== 'string' ? canonicalText(scan.value) : JSON.stringify(value);
}

/** Arguments of one call as one text: equal texts are equal arguments. */
export function argumentsText(value: StrictValue, isUntyped: boolean): string {
  if (!isUntyped || !isStrictObject(value)) return canonicalText(value);
  const entries = [...value.entries].map(([key, member]) => [key, untypedText(member)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}
