import type { Play, Turn } from './scenario.ts';
import { type CallToWrite, writeCalls } from './write-calls.ts';

/** What a turn says, as the tokenizer itself would write it, ended by its first end token. */
export function saying({ vocabulary }: Turn, text: string, misbehaved: string | null = null): Play {
  const end = vocabulary.eosIds[0] ?? 0;
  return { ids: [...vocabulary.encode(text), end], finish: { type: 'stop', matched: end }, misbehaved };
}

/** A call as the engine's form has it. */
export function callText(turn: Turn, name: string, args: CallToWrite['args']): string {
  return callsText(turn, [{ name, args }]);
}

/** Calls of one answer; each turn before it had one. */
export function callsText({ form, turn }: Turn, calls: readonly CallToWrite[]): string {
  return writeCalls(form, calls, turn);
}

/**
 * The honest turns of a task: a search, a sum, an answer. What stands beyond them is the answer again. Nothing stands before a call:
 * parsers and templates disagree about the line break between, and a history that is rendered again would differ for that alone.
 */
export function honestText(state: Turn, turn: number): string {
  const { task } = state;
  if (turn <= 0) return callText(state, 'search', { query: task.query });
  if (turn === 1) return callText(state, 'calculator', { expression: task.expression });
  return `The result is ${task.answer}.`;
}

/** The honest play of a turn, after so many turns that were something else. */
export function honestPlay(turn: Turn, turnsBefore = 0): Play {
  return saying(turn, honestText(turn, turn.turn - turnsBefore));
}
