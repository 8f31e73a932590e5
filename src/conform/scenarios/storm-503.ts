import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

const REFUSED = 2;

/** The first turn is refused twice. */
export const storm503: Scenario = {
  name: 'storm_503',
  title: '503 twice, then an answer',
  faithful: 'Tries again, and records one turn.',
  laundering: 'The rollout ends as a failure of the policy, or as complete, or a refused try counts as a turn.',
  play,
};

function play(turn: Turn): Play {
  const honest = honestPlay(turn);
  if (turn.turn > 0 || turn.attempt >= REFUSED) return honest;
  const refusal = {
    status: 503,
    type: 'ServiceUnavailable',
    message: 'The server is overloaded.',
    headers: { 'retry-after': '1' },
  };
  return { ...honest, refusal, misbehaved: `503, for try ${turn.attempt + 1} of ${REFUSED}` };
}
