import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The connection of the first call is reset in the middle of its answer. */
export const connectionReset: Scenario = {
  name: 'connection_reset',
  title: 'the connection is reset in the middle of an answer',
  faithful: 'Asks again, and no half of an answer stays in the rollout, or ends it as a failure of the system.',
  laundering: 'Half an answer counts as a turn, or the rollout ends as complete or as the failure of the policy.',
  play,
};

function play(turn: Turn): Play {
  const honest = honestPlay(turn);
  if (turn.turn > 0 || turn.attempt > 0) return honest;
  const resetAfter = honest.ids.length >> 1;
  return { ...honest, resetAfter, misbehaved: 'the connection was reset in the middle of the answer' };
}
