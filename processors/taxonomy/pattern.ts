import type { Pattern } from '../model/taxonomy.ts';

const MOST_STARS = 4;
const FEWEST_CHARACTERS = 3;

/** Reads a pattern, or says why it is none. It cannot blow up: matching walks the value once for each part. */
export function readPattern(text: string): Pattern | { readonly problem: string } {
  const parts = text.split('*');
  const fixed = text.length - (parts.length - 1);
  if (parts.length === 1) return { problem: 'a * in it: without one it is a raw value' };
  if (text.includes('**')) return { problem: 'no two * side by side' };
  if (parts.length - 1 > MOST_STARS) return { problem: `at most ${MOST_STARS} *` };
  if (fixed < FEWEST_CHARACTERS) return { problem: `at least ${FEWEST_CHARACTERS} characters beside *` };
  return { text, parts };
}

/** The whole value is of the pattern. */
export function isMatch({ parts }: Pattern, value: string): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = value.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
