import { callBlock, honestPlay, saying } from './saying.ts';
import type { Scenario } from './scenario.ts';

/** The first call is no JSON: what a tool would get of it cannot be known. */
export const malformedCall: Scenario = {
  name: 'malformed_call',
  title: 'a tool call that is no JSON',
  faithful: 'Runs no tool, and shows the model the error.',
  laundering: 'The tool runs with {} or with a guess, or the call vanishes and the rollout ends as complete.',
  play: (turn) =>
    turn.turn > 0
      ? honestPlay(turn, 1)
      : saying(
          turn,
          `I will look that up first.\n${callBlock('{"name": "search", "arguments": {query: test}}')}`,
          'a call with the arguments {query: test}',
        ),
};
