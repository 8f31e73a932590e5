import type { DocumentProblem, Parsed } from './taxonomy.ts';

/** Reads a document of unknown shape, noting each problem with its path in place of throwing at the first. */
export interface DocumentReader {
  readonly problems: DocumentProblem[];
  object(value: unknown, path: string): Record<string, unknown>;
  text(value: unknown, path: string): string;
  finite(value: unknown, path: string): number;
  flag(value: unknown, path: string): boolean;
  texts(value: unknown, path: string): string[];
  list(value: unknown, path: string): readonly unknown[];
  /** A finite number from 0 on. */
  notNegative(value: unknown, path: string): number;
  /** A finite number above 0. */
  positive(value: unknown, path: string): number;
  /** A whole number, from 0 on. */
  count(value: unknown, path: string): number;
  /** A whole number, from 1 on. */
  countFrom1(value: unknown, path: string): number;
  oneOf<T extends string>(value: unknown, path: string, allowed: readonly T[]): T;
  /** Problems for keys that are not `known`. */
  onlyKeys(value: Record<string, unknown>, path: string, known: readonly string[]): void;
  result<T>(value: T): Parsed<T>;
}

export function createDocumentReader(): DocumentReader {
  const problems: DocumentProblem[] = [];
  const note = <T>(path: string, expected: string, got: unknown, fallback: T): T => {
    problems.push({ path, expected, got: shown(got) });
    return fallback;
  };
  const text = (value: unknown, path: string): string =>
    typeof value === 'string' ? value : note(path, 'text', value, '');
  const finite = (value: unknown, path: string): number =>
    typeof value === 'number' && Number.isFinite(value) ? value : note(path, 'a finite number', value, 0);
  const atLeast = (holds: (number: number) => boolean, expected: string) => (value: unknown, path: string) => {
    const number = finite(value, path);
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    return isNumber && !holds(number) ? note(path, expected, value, 0) : number;
  };
  return {
    problems,
    object: (value, path) => (isObject(value) ? value : note(path, 'an object', value, {})),
    text,
    finite,
    notNegative: atLeast((number) => number >= 0, 'a number from 0 on'),
    positive: atLeast((number) => number > 0, 'a number above 0'),
    count: atLeast((number) => Number.isSafeInteger(number) && number >= 0, 'a whole number from 0 on'),
    countFrom1: atLeast((number) => Number.isSafeInteger(number) && number >= 1, 'a whole number from 1 on'),
    list: (value, path) => (Array.isArray(value) ? value : note(path, 'a list', value, [])),
    flag: (value, path) => (typeof value === 'boolean' ? value : note(path, 'true or false', value, false)),
    texts: (value, path) =>
      Array.isArray(value)
        ? value.map((item, i) => text(item, `${path}[${i}]`))
        : note(path, 'a list of texts', value, []),
    oneOf: <T extends string>(value: unknown, path: string, allowed: readonly [T, ...T[]] | readonly T[]): T => {
      const found = allowed.find((candidate) => candidate === value);
      if (found !== undefined) return found;
      problems.push({ path, expected: `one of ${allowed.join(', ')}`, got: shown(value), allowed });
      return allowed[0] as T;
    },
    onlyKeys: (value, path, known) => {
      for (const key of Object.keys(value))
        if (!known.includes(key))
          problems.push({
            path: path === '' ? key : `${path}.${key}`,
            expected: `one of ${known.join(', ')}`,
            got: key,
            allowed: known,
          });
    },
    result: (value) => (problems.length === 0 ? { kind: 'ok', value } : { kind: 'refused', problems }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
