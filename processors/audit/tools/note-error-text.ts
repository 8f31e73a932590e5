import type { ErrorText, ToolsWatch } from '../../model/tools-watch.ts';
import { around } from './around.ts';
import { hashOfText } from './compare/hash-of-text.ts';
import { tellsOfError } from './turn/error-words.ts';
import type { ResultFacts } from './turn/judge-result.ts';

const MOST_TEXTS = 8;
const MOST_CHARACTERS = 160;
/** An error says so where it begins. */
const MOST_LOOKED_AT = 300;
/** Fewer different calls with one answer may be the policy's own mistake, made again. */
const MOST_CALLS = 3;

/** Counts a result whose text tells of an error, by that text. */
export function noteErrorText(watch: ToolsWatch, turn: number, result: ResultFacts): void {
  watch.results += 1;
  const isSandbox = result.status === 'sandbox_error';
  const text = result.output ?? '';
  if (!isSandbox && !tellsOfError(text.slice(0, MOST_LOOKED_AT))) return;
  const hash = hashOfText(isSandbox && text === '' ? 'sandbox_error' : text);
  watch.observations ??= [];
  let known = watch.observations.find((candidate) => candidate.hash === hash && candidate.isSandbox === isSandbox);
  if (known === undefined) {
    if (watch.observations.length >= MOST_TEXTS) return;
    known = { hash, text: around(text, 0, MOST_CHARACTERS), turn, isSandbox, results: 0, calls: [] };
    watch.observations.push(known);
  }
  known.results += 1;
  // A call of which nobody knows the arguments is told apart by where it was made.
  const call = hashOfText(`${result.name}\u0000${result.executed ?? `${turn}/${result.callId}`}`);
  if (known.calls.length < MOST_CALLS && !known.calls.includes(call)) known.calls.push(call);
}

/** The same error whatever was asked, in at least half of all results: it is the environment's. */
export function isEnvironments({ isSandbox, results, calls }: ErrorText, all: number): boolean {
  return isSandbox || (calls.length >= MOST_CALLS && results * 2 >= all);
}
