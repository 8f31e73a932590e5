import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import {
  continuationOf,
  isAtif,
  isTrial,
  type NamedDocument,
  parentByName,
  pathOfReference,
  subagentReferences,
} from './atif-documents.ts';

/** A document that a rollout names and that is not there. */
export interface MissingDocument {
  readonly name: string;
  /** base: what the first document there continues; continuation: what one of them is continued by. */
  readonly part: 'base' | 'continuation';
}

/** One rollout: its documents in order, what else belongs to it, and what is missing. */
export interface AtifRollout {
  /** Base and continuations. None: the trial ended before its agent wrote any. */
  readonly documents: readonly NamedDocument[];
  readonly missing: readonly MissingDocument[];
  /** All documents of the record by name: sub-agents' are found here. */
  readonly named: ReadonlyMap<string, JsonObject>;
  /** Documents of sub-agents, and of a trial whatever else lies with it; most of them are referred to. */
  readonly others: readonly NamedDocument[];
  readonly trial: NamedDocument | null;
  /** All of the record is part of it: then the record's hash is its own. */
  readonly isWhole: boolean;
}

/** The rollouts of a record: a document alone, a list of them, or documents by name. None: it holds nothing of ATIF. */
export function atifRollouts(value: JsonObject): AtifRollout[] {
  if (isAtif(value) || isTrial(value)) return [alone(value, true)];
  // A file that is a list comes under its name, and belongs with no other.
  const [list] = Object.values(value).filter((item) => Array.isArray(item));
  if (Array.isArray(list)) return ofList(list);
  const named = new Map<string, JsonObject>();
  for (const [name, document] of Object.entries(value)) if (isObject(document)) named.set(name, document);
  return together(named);
}

/** Of a list all is taken or nothing: what is left out would be told by nobody. */
function ofList(list: readonly JsonValue[]): AtifRollout[] {
  return list.map((item, i) => {
    if (isObject(item) && (isAtif(item) || isTrial(item))) return alone(item, list.length === 1);
    throw new Refused(`[${i}]`, 'a document of ATIF or a trial of Harbor', shown(item));
  });
}

function alone(value: JsonObject, isWhole: boolean): AtifRollout {
  const document = { name: '', value };
  const rest = { missing: [], named: new Map<string, JsonObject>(), others: [], isWhole };
  if (isTrial(value)) return { ...rest, documents: [], trial: document };
  return { ...rest, documents: [document], missing: missingOf([document], rest.named), trial: null };
}

function together(named: ReadonlyMap<string, JsonObject>): AtifRollout[] {
  const documents = new Map([...named].filter(([, value]) => isAtif(value)));
  const trialName = [...named].find(([, value]) => isTrial(value))?.[0];
  const trialValue = trialName === undefined ? undefined : named.get(trialName);
  const trial = trialName === undefined || trialValue === undefined ? null : { name: trialName, value: trialValue };
  const next = followers(documents);
  const sides = sideDocuments(documents);
  const followed = new Set(next.values());
  const isFirst = (name: string) => !followed.has(name) && !sides.has(name);
  const roots = [...documents.keys()].filter(isFirst);
  // Documents that only refer to each other in a circle: one of them has to be the first.
  const [someone] = documents.keys();
  if (roots.length === 0 && someone !== undefined) roots.push(someone);
  const main = roots.find((name) => /(^|\/)trajectory\.json(\.gz)?$/.test(name)) ?? roots[0];
  const starts = trial === null ? roots : [main];
  return starts.map((name) => {
    const chain = name === undefined ? [] : chainOf(name, documents, next);
    const names = new Set(chain.map((document) => document.name));
    const isMine = (other: string) => starts.length === 1 || names.has(parentByName(other) ?? '');
    const others = [...documents]
      .filter(([other]) => !names.has(other) && isMine(other))
      .map(([other, document]) => ({ name: other, value: document }));
    const size = chain.length + others.length + (trial === null ? 0 : 1);
    return {
      documents: chain,
      missing: missingOf(chain, documents),
      named,
      others,
      trial,
      isWhole: size === named.size,
    };
  });
}

/** What follows each document: what it refers to, else the next number that is there by its name. */
function followers(documents: ReadonlyMap<string, JsonObject>): Map<string, string> {
  const next = new Map<string, string>();
  const taken = new Set<string>();
  const link = (from: string, to: string) => {
    if (from === to || next.has(from) || taken.has(to) || !documents.has(to)) return;
    next.set(from, to);
    taken.add(to);
  };
  for (const [name, { continued_trajectory_ref: reference }] of documents)
    if (typeof reference === 'string' && reference !== '') link(name, pathOfReference(name, reference));
  const byNumber = [...documents.keys()].filter((name) => !taken.has(name) && continuationOf(name) !== null);
  for (const name of byNumber) {
    const before = beforeByName(name, documents);
    if (before !== null && isSameSession(documents, before, name)) link(before, name);
  }
  return next;
}

/** The document with the highest number below, or the base. */
function beforeByName(name: string, documents: ReadonlyMap<string, JsonObject>): string | null {
  const part = continuationOf(name);
  if (part === null) return null;
  let best: { name: string; number: number } | null = null;
  for (const other of documents.keys()) {
    const found = other === part.base ? { base: part.base, number: 0 } : continuationOf(other);
    if (found === null || found.base !== part.base || found.number >= part.number) continue;
    if (best === null || found.number > best.number) best = { name: other, number: found.number };
  }
  return best?.name ?? null;
}

function isSameSession(documents: ReadonlyMap<string, JsonObject>, a: string, b: string): boolean {
  const [one, other] = [documents.get(a)?.session_id ?? null, documents.get(b)?.session_id ?? null];
  return one === null || other === null || one === other;
}

/** Documents that another one refers to as those of its sub-agents, or that lie beside it as such. */
function sideDocuments(documents: ReadonlyMap<string, JsonObject>): Set<string> {
  const sides = new Set<string>();
  for (const [name, value] of documents) {
    const parent = parentByName(name);
    if (parent !== null && documents.has(parent)) sides.add(name);
    for (const { trajectory_path: path } of subagentReferences(value)) {
      const other = typeof path === 'string' && path !== '' ? pathOfReference(name, path) : name;
      if (other !== name && documents.has(other)) sides.add(other);
    }
  }
  return sides;
}

function chainOf(
  first: string,
  documents: ReadonlyMap<string, JsonObject>,
  next: ReadonlyMap<string, string>,
): NamedDocument[] {
  const chain: NamedDocument[] = [];
  const seen = new Set<string>();
  for (let name: string | undefined = first; name !== undefined && !seen.has(name); name = next.get(name)) {
    seen.add(name);
    const value = documents.get(name);
    if (value !== undefined) chain.push({ name, value });
  }
  return chain;
}

function missingOf(chain: readonly NamedDocument[], documents: ReadonlyMap<string, JsonObject>): MissingDocument[] {
  const missing: MissingDocument[] = [];
  const [first] = chain;
  const part = first === undefined ? null : continuationOf(first.name);
  if (part !== null && !documents.has(part.base)) missing.push({ name: part.base, part: 'base' });
  for (const { name, value } of chain) {
    const { continued_trajectory_ref: reference } = value;
    if (typeof reference !== 'string' || reference === '') continue;
    const other = name === '' ? reference : pathOfReference(name, reference);
    if (!documents.has(other)) missing.push({ name: other, part: 'continuation' });
  }
  return missing;
}
