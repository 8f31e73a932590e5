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
  const { vocabulary, task } = turn;
  const { ids } = honestPlay(turn);
  let length = ids.length;
  // What follows the query is the end of the call, of which each form has another.
  while (length > 1 && vocabulary.text(ids.slice(0, length)).includes(task.query)) length -= 1;
  return {
    ids: ids.slice(0, length),
    finish: { type: 'length', length },
    misbehaved: `cut after ${length} tokens, inside a call`,
  };
}
