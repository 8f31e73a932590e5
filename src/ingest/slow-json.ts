import type { ParsedJson } from './exact-json.ts';
import { ExactNumber, type JsonObject, type JsonValue, setOwn } from './exact-number.ts';

/** Levels of nesting; deeper ones would end in a stack overflow of whoever walks them. */
export const MAX_DEPTH = 500;

/** Parses by hand what JSON.parse refuses or rounds. Says where it stopped. */
export function parseSlowly(text: string): ParsedJson {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return { kind: 'json', value, duplicateKeys: reader.duplicateKeys };
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', message: error.message };
    throw error;
  }
}

/** Stays within this file: leaves the recursion at the first thing that is not JSON. */
class Malformed extends Error {}

const NUMBER = /-?(?:Infinity|(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|NaN/y;
const INTEGER = /^-?\d+$/;
const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

class Reader {
  readonly duplicateKeys: string[] = [];
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): JsonValue {
    const value = this.value(0, '');
    this.space();
    if (this.at < this.text.length) this.fail('text after the end of the value');
    return value;
  }

  private value(depth: number, path: string): JsonValue {
    this.space();
    if (depth > MAX_DEPTH) throw new Malformed(`nested deeper than ${MAX_DEPTH} levels`);
    const first = this.text[this.at];
    if (first === '{') return this.object(depth, path);
    if (first === '[') return this.array(depth, path);
    if (first === '"') return this.string();
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.number();
  }

  private object(depth: number, path: string): JsonObject {
    const object: JsonObject = {};
    this.at++;
    this.space();
    if (this.take('}')) return object;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail('expected a key in double quotes');
      const key = this.string();
      const field = path === '' ? key : `${path}.${key}`;
      if (Object.hasOwn(object, key)) this.duplicateKeys.push(field);
      this.space();
      if (!this.take(':')) this.fail('expected a colon after the key');
      setOwn(object, key, this.value(depth + 1, field));
      this.space();
    } while (this.take(','));
    if (!this.take('}')) this.fail('expected a comma or } in an object');
    return object;
  }

  private array(depth: number, path: string): JsonValue[] {
    const values: JsonValue[] = [];
    this.at++;
    this.space();
    if (this.take(']')) return values;
    do {
      values.push(this.value(depth + 1, `${path}[${values.length}]`));
      this.space();
    } while (this.take(','));
    if (!this.take(']')) this.fail('expected a comma or ] in an array');
    return values;
  }

  /** JSON.parse reads the escapes; a string has no other trap. */
  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(this.text, end)) end = this.text.indexOf('"', end + 1);
    if (end === -1) this.fail('a string that does not end');
    this.at = end + 1;
    try {
      const string: string = JSON.parse(this.text.slice(start, end + 1));
      return string;
    } catch {
      this.at = start;
      return this.fail('a string with a bad escape or a control character');
    }
  }

  private number(): number | ExactNumber {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0];
    if (literal === undefined) return this.fail('expected a value');
    this.at += literal.length;
    const value = Number(literal);
    const exact = INTEGER.test(literal) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return exact ? value : new ExactNumber(literal);
  }

  private space(): void {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) code = this.text.charCodeAt(++this.at);
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private fail(what: string): never {
    const where = this.at >= this.text.length ? 'at the end of the line' : `at character ${this.at + 1}`;
    throw new Malformed(`${what}, ${where}`);
  }
}

/** A quote is escaped after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
