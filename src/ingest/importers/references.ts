import { createHash } from 'node:crypto';
import type { JsonValue } from '../exact-number.ts';
import { asText } from '../json-text.ts';

/** Where large data stands that does not travel with its event. */
export interface Reference {
  /** file:line#field, and the index where it is one of several. */
  readonly uri: string;
  /** Of the text as it stands there. */
  readonly sha256: string;
  readonly length: number;

  [key: string]: JsonValue;
}

/**
 * Base64 of routed experts or images is tens of megabytes: it stays in the source file, and its place and hash travel.
 * undefined: there is none.
 */
export function references(
  value: JsonValue | undefined,
  location: string,
  field: string,
  from = 0,
): Reference[] | undefined {
  if (value === undefined || value === null) return undefined;
  const items = Array.isArray(value) ? value : [value];
  if (items.length === 0) return undefined;
  return items.map((item, i) => {
    const text = asText(item);
    return {
      uri: `${location}#${field}[${from + i}]`,
      sha256: createHash('sha256').update(text).digest('hex'),
      length: text.length,
    };
  });
}
