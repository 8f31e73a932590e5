import { randomUUID } from 'node:crypto';
import type { QueryParams } from './port.ts';

/** A statement and its parameters as multipart/form-data. */
export function queryForm(sql: string, params: QueryParams): { readonly contentType: string; readonly body: Buffer } {
  const boundary = randomUUID();
  const parts = [['query', sql], ...Object.entries(params).map(([name, value]) => [`param_${name}`, paramText(value)])];
  const text = parts.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${text.join('')}--${boundary}--\r\n`),
  };
}

/**
 * As the server reads a parameter: escaped as in TabSeparated; strings in a list are quoted, too. A quote in text stays as it is:
 * text may be a list that is written down, `['a']`.
 */
export function paramText(value: QueryParams[string]): string {
  if (value === null) return '\\N';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return escaped(value);
  return `[${value.map((item) => (typeof item === 'string' ? `'${escaped(item).replaceAll("'", "\\'")}'` : numberText(item))).join(',')}]`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replace(/[\t\n\r\0\\]/g, (character) => ESCAPES[character] ?? character);
}
