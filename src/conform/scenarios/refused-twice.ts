import type { Refusal } from '../engine/asked.ts';
import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

const REFUSED = 2;

/** The first turn is refused twice, with advice to come back after a second. */
export function refusedTwice(name: string, refusal: Omit<Refusal, 'headers'>): Scenario {
  const { status } = refusal;
  return {
    name,
    title: `${status} twice, then an answer`,
    faithful: 'Tries again, and records one turn.',
    laundering: 'The rollout ends as a failure of the policy, or as complete, or a refused try counts as a turn.',
    play(turn: Turn): Play {
      const honest = honestPlay(turn);
      if (turn.turn > 0 || turn.attempt >= REFUSED) return honest;
      const misbehaved = `${status}, for try ${turn.attempt + 1} of ${REFUSED}`;
      return { ...honest, refusal: { ...refusal, headers: { 'retry-after': '1' } }, misbehaved };
    },
  };
}
