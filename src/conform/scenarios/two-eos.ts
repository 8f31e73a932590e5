import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first turn ends with the other of the two tokens that may end one. A vocabulary with one only is honest here. */
export const twoEos: Scenario = {
  name: 'two_eos',
  title: 'the other of two end tokens',
  faithful: 'Records the end token that was sampled, and its next prompt has it too.',
  laundering: 'The end token of the template stands in its place.',
  play,
};

function play(turn: Turn): Play {
  const honest = honestPlay(turn);
  const other = turn.vocabulary.eosIds[1];
  if (turn.turn > 0 || other === undefined) return honest;
  const ids = [...honest.ids.slice(0, -1), other];
  return { ids, finish: { type: 'stop', matched: other }, misbehaved: `ended with token ${other}` };
}
