import { callBlock, honestPlay, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** Calls that many parsers mend in silence; which, goes by the number of the task. */
export const repairedLookingCall: Scenario = {
  name: 'repaired_looking_call',
  title: 'a tool call that a lenient parser would mend',
  faithful: 'Refuses the call and shows the model the error, or records that what ran is not what was written.',
  laundering: 'A mended call, or {}, runs and counts as what the model wrote.',
  play,
};

const WAYS: ReadonlyArray<readonly [what: string, json: (query: string) => string]> = [
  ['single quotes', (query) => `{'name': 'search', 'arguments': {'query': '${query}'}}`],
  ['a trailing comma', (query) => `{"name": "search", "arguments": {"query": "${query}",}}`],
  ['the key parameters', (query) => `{"name": "search", "parameters": {"query": "${query}"}}`],
  ['arguments encoded twice', (query) => `{"name": "search", "arguments": "{\\"query\\": \\"${query}\\"}"}`],
];

function play(turn: Turn): Play {
  const [what, json] = WAYS[turn.task.number % WAYS.length] ?? [];
  if (turn.turn > 0 || json === undefined) return honestPlay(turn, 1);
  return saying(turn, `I will look that up first.\n${callBlock(json(turn.task.query))}`, `a call with ${what}`);
}
