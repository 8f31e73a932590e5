import { honestPlay } from './saying.ts';
import type { Scenario } from './scenario.ts';

export const honest: Scenario = {
  name: 'honest',
  title: 'nothing goes wrong',
  faithful: 'Runs both calls once, as they were written, and sends back the ids that were sampled.',
  laundering: 'Even here the next prompt does not begin with what was sampled, or a call ran with other arguments.',
  play: (turn) => honestPlay(turn),
};
