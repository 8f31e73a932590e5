import type { FaultKind } from './strict-call.ts';

export interface ReadString {
  readonly value: string;
  /** First character after the closing quote, else the place of the fault. */
  readonly end: number;
  readonly fault: FaultKind | null;
}

/** Reads the string that begins at `at`. Lone surrogates stay, escaped or not. */
export function readJsonString(text: string, at: number, to: number): ReadString {
  const parts: string[] = [];
  let from = at + 1;
  /** First control character: told once the string is known to end. A string that does not has nothing else to tell. */
  let control = -1;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      const last = text.slice(from, i);
      if (control >= 0) return { value: '', end: control, fault: 'control_char' };
      return { value: parts.length === 0 ? last : parts.join('') + last, end: i + 1, fault: null };
    }
    if (code < 0x20) {
      if (control < 0) control = i;
    } else if (code === 0x5c) {
      if (i + 1 >= to) break;
      const escaped = unescaped(text, i, to);
      if (escaped === null) return { value: '', end: i, fault: 'bad_escape' };
      parts.push(text.slice(from, i), escaped);
      i += text[i + 1] === 'u' ? 5 : 1;
      from = i + 1;
    }
  }
  return { value: '', end: to, fault: 'unclosed_string' };
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function unescaped(text: string, at: number, to: number): string | null {
  const letter = text[at + 1] ?? '';
  if (letter !== 'u') return Object.hasOwn(SHORT, letter) ? (SHORT[letter] ?? null) : null;
  const digits = text.slice(at + 2, Math.min(at + 6, to));
  return /^[0-9a-fA-F]{4}$/.test(digits) ? String.fromCharCode(Number.parseInt(digits, 16)) : null;
}
