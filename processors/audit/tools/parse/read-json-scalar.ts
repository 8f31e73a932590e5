import type { FaultKind } from './strict-call.ts';
import type { StrictValue } from './strict-value.ts';

export interface ScalarFault {
  readonly fault: FaultKind;
  readonly at: number;
}

/** Reads a number, true, false or null, or names what stands there instead. */
export function readJsonScalar(
  text: string,
  at: number,
  to: number,
): { readonly value: StrictValue; readonly end: number } | ScalarFault {
  const whole = endOfWhole(text, at, to);
  if (whole > at) return { value: { kind: 'number', text: text.slice(at, whole) }, end: whole };
  const first = text[at] ?? '';
  if (first === '-' || first === '+' || first === '.' || isDigit(first)) return readNumber(text, at, to);
  if (first === "'") return { fault: 'single_quotes', at };
  if (first === '#' || text.startsWith('//', at) || text.startsWith('/*', at)) return { fault: 'comment', at };
  let end = at;
  // The longest word looked for has eight letters.
  while (end < to && end < at + 10 && /[A-Za-z]/.test(text[end] ?? '')) end += 1;
  const word = text.slice(at, end);
  const literal = LITERALS.get(word);
  if (literal !== undefined) return { value: literal, end };
  const kind = WORDS.get(word);
  return { fault: kind ?? 'not_json', at };
}

const LITERALS = new Map<string, StrictValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const WORDS = new Map<string, FaultKind>([
  ['NaN', 'nan'],
  ['nan', 'nan'],
  ['Infinity', 'nan'],
  ['inf', 'nan'],
  ['True', 'python_literal'],
  ['False', 'python_literal'],
  ['None', 'python_literal'],
]);

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1;
}

function readNumber(
  text: string,
  start: number,
  to: number,
): { readonly value: StrictValue; readonly end: number } | ScalarFault {
  const faulty: ScalarFault = { fault: 'bad_number', at: start };
  let at = start;
  const digits = (): boolean => {
    const from = at;
    while (at < to && isDigit(text[at] ?? '')) at += 1;
    return at > from;
  };
  if (text[at] === '-' || text[at] === '+') at += 1;
  if (text.startsWith('Infinity', at) || text.startsWith('NaN', at)) return { fault: 'nan', at: start };
  if (text[start] === '+') return faulty;
  const whole = at;
  if (!digits() || (text[whole] === '0' && at > whole + 1)) return faulty;
  if (at < to && text[at] === '.') {
    at += 1;
    if (!digits()) return faulty;
  }
  if (at < to && (text[at] === 'e' || text[at] === 'E')) {
    at += 1;
    if (text[at] === '-' || text[at] === '+') at += 1;
    if (!digits()) return faulty;
  }
  return { value: { kind: 'number', text: text.slice(start, at) }, end: at };
}

/** Where a number that is nothing but digits ends, which most are; `at`: it is something else, or more. */
function endOfWhole(text: string, at: number, to: number): number {
  const first = text.charCodeAt(at);
  if (at >= to || first < ONE || first > NINE) return at;
  let end = at + 1;
  while (end < to && isDigitCode(text.charCodeAt(end))) end += 1;
  const next = end < to ? text.charCodeAt(end) : 0;
  return next === POINT || next === SMALL_E || next === BIG_E ? at : end;
}

function isDigitCode(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

const POINT = 0x2e;
const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;
const BIG_E = 0x45;
const SMALL_E = 0x65;
