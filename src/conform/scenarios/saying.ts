import type { Play, Turn } from './scenario.ts';

/** What a turn says, as the tokenizer itself would write it, ended by its first end token. */
export function saying({ vocabulary }: Turn, text: string, misbehaved: string | null = null): Play {
  const end = vocabulary.eosIds[0] ?? 0;
  return { ids: [...vocabulary.encode(text), end], finish: { type: 'stop', matched: end }, misbehaved };
}

/** A call as the Hermes form has it. */
export function callText(name: string, args: Readonly<Record<string, string>>): string {
  return callBlock(`{"name": "${name}", "arguments": ${argumentsText(args)}}`);
}

/** `json` is what stands between the tags, sound or not. */
export function callBlock(json: string): string {
  return `<tool_call>\n${json}\n</tool_call>`;
}

function argumentsText(args: Readonly<Record<string, string>>): string {
  return `{${Object.entries(args)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')}}`;
}

/**
 * The honest turns of a task: a search, a sum, an answer. What stands beyond them is the answer again. Nothing stands before a call:
 * parsers and templates disagree about the line break between, and a history that is rendered again would differ for that alone.
 */
export function honestText({ task }: Turn, turn: number): string {
  if (turn <= 0) return callText('search', { query: task.query });
  if (turn === 1) return callText('calculator', { expression: task.expression });
  return `The result is ${task.answer}.`;
}

/** The honest play of a turn, after so many turns that were something else. */
export function honestPlay(turn: Turn, turnsBefore = 0): Play {
  return saying(turn, honestText(turn, turn.turn - turnsBefore));
}
