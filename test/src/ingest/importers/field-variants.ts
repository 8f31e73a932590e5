import { expect } from 'vitest';
import type { Importer } from '../../../../src/ingest/importer.ts';
import { imported } from './imported.ts';

const OTHERS = [null, true, -1, 'x', [1, 'a'], { a: { b: [] } }];
/** JSON that JSON.stringify does not write. */
const WRITTEN = ['NaN', '123456789012345678901234567890', '"\\ud83d"'];

/** The value with one of its parts replaced, for every part of it. */
function* variants(value: unknown, wrap: (part: string) => string): Generator<string> {
  for (const other of OTHERS) yield wrap(JSON.stringify(other));
  for (const text of WRITTEN) yield wrap(text);
  if (typeof value !== 'object' || value === null) return;
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) {
    const rest = (part: string): string => {
      const items = Object.entries(value).map(([name, item]) => {
        const text = name === String(key) ? part : JSON.stringify(item);
        return Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`;
      });
      return Array.isArray(value) ? `[${items.join()}]` : `{${items.join()}}`;
    };
    const inner: unknown = Object.entries(value).find(([name]) => name === String(key))?.[1];
    yield* variants(inner, (part) => wrap(rest(part)));
  }
}

/** Whatever stands in a field is kept in sound events, or refused by name. Answers with how many were tried. */
export async function triedFields(importer: Importer, lines: readonly object[]): Promise<number> {
  let tried = 0;
  for (const [i, line] of lines.entries()) {
    for (const text of variants(line, (part) => part)) {
      const all = lines.map((other, k) => (k === i ? text : JSON.stringify(other)));
      const taken = await imported(importer, `${all.join('\n')}\n`);
      // Sound events, or a refusal that names what it is about.
      for (const one of taken) if ('refused' in one) expect(one.refused.message).not.toBe('');
      tried += 1;
    }
  }
  return tried;
}
