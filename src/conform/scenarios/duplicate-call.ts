import { callsText, honestPlay, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first turn makes one call twice. */
export const duplicateCall: Scenario = {
  name: 'duplicate_call',
  title: 'the same tool call twice in a turn',
  faithful: 'Runs both, and gives each its own result.',
  laundering: 'One of the two vanishes, or one result stands for both.',
  play,
};

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn);
  const call = { name: 'search', args: { query: turn.task.query } };
  return saying(turn, callsText(turn, [call, call]), 'one call twice');
}
