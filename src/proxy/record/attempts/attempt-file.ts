import { readFileSync } from 'node:fs';
import type { AttemptHead } from './attempt-head.ts';
import { type AttemptEntry, type AttemptState, applyEntry, beginAttempt } from './attempt-state.ts';

/** An attempt as its file tells it. */
export interface AttemptOnDisk {
  readonly state: AttemptState;
  readonly last: AttemptEntry;
  /** Of what can be read. What follows was torn, and is written again by whoever has begun it. */
  readonly bytes: number;
  /** Of each of its conversations: what made it what it is. */
  readonly found: readonly AttemptEntry[];
}

export function headLine(head: AttemptHead): string {
  return `${JSON.stringify(head)}\n`;
}

export function entryLine(entry: AttemptEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** null: there is no whole entry in it. Throws where it is damaged. */
export function readAttemptFile(path: string): AttemptOnDisk | null {
  const text = readFileSync(path, 'utf8');
  let at = text.indexOf('\n') + 1;
  if (at === 0) return null;
  const head: AttemptHead = JSON.parse(text.slice(0, at));
  if (typeof head.identity.rollout_id !== 'string') throw new SyntaxError(`${path} names no rollout`);
  const state = beginAttempt(head);
  let last: AttemptEntry | null = null;
  const found = new Map<string, AttemptEntry>();
  for (let end = text.indexOf('\n', at); end !== -1; end = text.indexOf('\n', at)) {
    const entry: AttemptEntry = JSON.parse(text.slice(at, end));
    applyEntry(state, entry);
    if (entry.found !== null && entry.segment !== null) found.set(entry.segment.id, entry);
    last = entry;
    at = end + 1;
  }
  // All of it is ASCII but for ids of a head: bytes are counted as they were written.
  return last === null
    ? null
    : { state, last, bytes: Buffer.byteLength(text.slice(0, at)), found: [...found.values()] };
}
