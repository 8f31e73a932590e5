import { posix } from 'node:path';
import { isObject, type JsonObject } from '../exact-number.ts';
import {
  continuationName,
  continuationOf,
  isAtif,
  isTrial,
  parentByName,
  pathOfReference,
  subagentReferences,
} from './atif-documents.ts';

/**
 * Names of the documents that belong with those read so far, whichever was found first: the base of a continuation, what a
 * document refers to, and Harbor's result beside it or in the folder above.
 */
export function atifCompanions(read: ReadonlyMap<string, JsonObject>): readonly string[] {
  const names = new Set<string>();
  const hasTrial = [...read.values()].some(isTrial);
  for (const [name, value] of read) {
    if (isTrial(value))
      for (const place of ['agent/trajectory.json', 'trajectory.json']) names.add(beside(name, place));
    if (!isAtif(value)) continue;
    for (const other of namedBy(name, value)) names.add(other);
    if (!hasTrial) for (const place of ['result.json', '../result.json']) names.add(beside(name, place));
  }
  return [...names];
}

function namedBy(name: string, value: JsonObject): string[] {
  const named: string[] = [];
  const { continued_trajectory_ref: next, agent } = value;
  const part = continuationOf(name);
  if (part !== null) {
    named.push(part.base);
    if (part.number > 1) named.push(continuationName(part.base, part.number - 1));
  }
  if (typeof next === 'string' && next !== '') {
    const following = pathOfReference(name, next);
    named.push(following);
    // Where that one is missing, what comes after it is a part of this rollout all the same.
    const number = continuationOf(following);
    if (number !== null) named.push(continuationName(number.base, number.number + 1));
  }
  const parent = parentByName(name) ?? (hasParent(agent) ? beside(name, 'trajectory.json') : null);
  if (parent !== null) named.push(parent);
  for (const { trajectory_path: path } of subagentReferences(value)) {
    if (typeof path === 'string' && path !== '') named.push(pathOfReference(name, path));
  }
  return named;
}

function hasParent(agent: JsonObject[string] | undefined): boolean {
  return isObject(agent) && isObject(agent.extra) && agent.extra.parent_session_id !== undefined;
}

function beside(name: string, other: string): string {
  return posix.join(posix.dirname(name), other);
}
