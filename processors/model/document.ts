import type { DocumentProblem, Parsed } from './taxonomy.ts';

/** Reads a document of unknown shape, noting each problem with its path in place of throwing at the first. */
export interface DocumentReader {
  readonly problems: DocumentProblem[];
  object(value: unknown, path: string): Record<string, unknown>;
  text(value: unknown, path: string): string;
  finite(value: unknown, path: string): number;
  flag(value: unknown, path: string): boolean;
  texts(value: unknown, path: string): string[];
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
  return {
    problems,
    object: (value, path) => (isObject(value) ? value : note(path, 'an object', value, {})),
    text,
    finite: (value, path) =>
      typeof value === 'number' && Number.isFinite(value) ? value : note(path, 'a finite number', value, 0),
    flag: (value, path) => (typeof value === 'boolean' ? value : note(path, 'true or false', value, false)),
    texts: (value, path) =>
      Array.isArray(value)
        ? value.map((item, i) => text(item, `${path}[${i}]`))
        : note(path, 'a list of texts', value, []),
    oneOf: <T extends string>(value: unknown, path: string, allowed: readonly [T, ...T[]] | readonly T[]): T => {
      const found = allowed.find((candidate) => candidate === value);
      return found ?? note(path, `one of ${allowed.join(', ')}`, value, allowed[0] as T);
    },
    onlyKeys: (value, path, known) => {
      for (const key of Object.keys(value))
        if (!known.includes(key)) note(path === '' ? key : `${path}.${key}`, `one of ${known.join(', ')}`, key, null);
    },
    result: (value) => (problems.length === 0 ? { kind: 'ok', value } : { kind: 'refused', problems }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
