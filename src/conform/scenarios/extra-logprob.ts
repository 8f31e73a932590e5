import { honestPlay } from './saying.ts';
import type { Scenario } from './scenario.ts';

/** Each answer has one logprob more than it has ids. */
export const extraLogprob: Scenario = {
  name: 'extra_logprob',
  title: 'one logprob more than ids',
  faithful: 'Notices that the lengths differ, and trains on no logprob that it cannot place.',
  laundering: 'The lists are cut or padded to one length in silence, so that each logprob stands beside another token.',
  play: (turn) => ({ ...honestPlay(turn), extraLogprobs: 1, misbehaved: 'one logprob more than ids' }),
};
