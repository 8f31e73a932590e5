import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first turn is cut by the limit of tokens within the arguments of its call. */
export const lengthInCall: Scenario = {
  name: 'length_in_call',
  title: 'cut by length inside a tool call',
  faithful: 'Runs no tool, and tells the model or ends the rollout as cut by length.',
  laundering: 'The half call runs with arguments that were made up, or the rollout ends as complete.',
  play,
};

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn, 1);
  const { ids } = honestPlay(turn);
  // The last tokens are the end of the arguments, the closing tag and the end of the turn.
  const cut = ids.slice(0, Math.max(1, ids.length - 6));
  return {
    ids: cut,
    finish: { type: 'length', length: cut.length },
    misbehaved: `cut after ${cut.length} tokens, inside a call`,
  };
}
