import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { RollstreamError } from '../errors.ts';

/** Keys of a YAML file, nested ones joined with dots; `a: {b: 1}` and `a.b: 1` are the same key. */
export function readConfigFile(path: string): Map<string, unknown> {
  const document = parseDocument(readText(path), { prettyErrors: true });
  const error = document.errors[0];
  if (error !== undefined) throw new RollstreamError('RS_CONFIG', `${path}: ${firstLine(error.message)}`);
  const root: unknown = document.toJS();
  const keys = new Map<string, unknown>();
  if (root === null || root === undefined) return keys;
  if (!isMap(root)) throw new RollstreamError('RS_CONFIG', `${path}: not a map of keys`);
  flatten(root, '', path, keys);
  return keys;
}

function flatten(map: Record<string, unknown>, prefix: string, path: string, keys: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(map)) {
    const name = `${prefix}${key}`;
    if (isMap(value)) {
      flatten(value, `${name}.`, path, keys);
    } else if (keys.has(name)) {
      throw new RollstreamError('RS_CONFIG', `${path}: ${name} is there twice`);
    } else if (value !== null) {
      keys.set(name, value);
    }
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_CONFIG', `cannot read the configuration: ${why}`, { cause });
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
