import { posix } from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';

/** A document and its name, relative to the folder that holds all documents of its record; '' where it came alone. */
export interface NamedDocument {
  readonly name: string;
  readonly value: JsonObject;
}

export function isAtif(value: JsonValue | undefined): boolean {
  return isObject(value) && typeof value.schema_version === 'string' && value.schema_version.startsWith('ATIF-');
}

/** Harbor's `result.json` of one trial; that of a job has no trial_name. */
export function isTrial(value: JsonValue | undefined): boolean {
  return isObject(value) && typeof value.trial_name === 'string' && value.task_name !== undefined;
}

const NUMBERED = /^(.*)\.cont-(\d{1,6})\.json(\.gz)?$/;
const SIDE = /^(.*)\.summarization-\d[^.]*\.json(\.gz)?$/;

/** Which part of a rollout a continuation is by its name: `X.cont-2.json` → X.json, 2. null: it is none. */
export function continuationOf(name: string): { readonly base: string; readonly number: number } | null {
  const found = NUMBERED.exec(name);
  return found === null
    ? null
    : { base: `${found[1]}.json${found[3] ?? ''}`, number: Number.parseInt(found[2] ?? '0', 10) };
}

/** Name of the `number`th continuation of a base document. */
export function continuationName(base: string, number: number): string {
  return base.replace(/\.json(\.gz)?$/, `.cont-${number}.json$1`);
}

/** Name of the document that a sub-agent of Terminus-2 wrote its own beside; null: it is none by its name. */
export function parentByName(name: string): string | null {
  const found = SIDE.exec(name);
  return found === null ? null : `${found[1]}.json${found[2] ?? ''}`;
}

/**
 * Name of a document that another one refers to. Files that were collected carry a prefix that the reference does not know:
 * from `X.trajectory.json`, `trajectory.cont-1.json` lies as `X.trajectory.cont-1.json`. An absolute path is the sandbox's own.
 */
export function pathOfReference(from: string, reference: string): string {
  const folder = posix.dirname(from);
  if (posix.isAbsolute(reference)) return pathOfReference(from, posix.basename(reference));
  if (reference.includes('/')) return posix.join(folder, reference);
  const stem = reference.split('.')[0] ?? '';
  const base = continuationOf(from)?.base ?? parentByName(from) ?? from;
  const own = posix.basename(base).replace(/\.json(\.gz)?$/, '');
  const prefix = stem !== '' && own.endsWith(stem) ? own.slice(0, own.length - stem.length) : '';
  const packed = from.endsWith('.gz') && !reference.endsWith('.gz') ? '.gz' : '';
  return posix.join(folder, `${prefix}${reference}${packed}`);
}

/** References of a document to those of its sub-agents, wherever they stand in its steps; the documents within it included. */
export function subagentReferences(document: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  for (const step of items(document.steps)) {
    const observation = isObject(step) ? step.observation : null;
    for (const result of items(isObject(observation) ? observation.results : null)) {
      if (isObject(result)) found.push(...referencesOf(result));
    }
  }
  for (const within of items(document.subagent_trajectories)) {
    if (isObject(within)) found.push(...subagentReferences(within));
  }
  return found;
}

/** References of one observation result: a list, or a single one. */
export function referencesOf(result: JsonObject): JsonObject[] {
  const { subagent_trajectory_ref: written } = result;
  return (Array.isArray(written) ? written : [written]).filter(isObject);
}

function items(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
