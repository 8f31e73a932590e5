import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

const REFUSED = 2;

/** The first turn is refused twice. */
export const storm429: Scenario = {
  name: 'storm_429',
  title: '429 twice, then an answer',
  faithful: 'Tries again, and records one turn.',
  laundering: 'The rollout ends as a failure of the policy, or as complete, or a refused try counts as a turn.',
  play,
};

function play(turn: Turn): Play {
  const honest = honestPlay(turn);
  if (turn.turn > 0 || turn.attempt >= REFUSED) return honest;
  const refusal = {
    status: 429,
    type: 'TooManyRequests',
    message: 'Too many requests.',
    headers: { 'retry-after': '1' },
  };
  return { ...honest, refusal, misbehaved: `429, for try ${turn.attempt + 1} of ${REFUSED}` };
}
