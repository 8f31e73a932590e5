import { honestPlay } from './saying.ts';
import type { Scenario } from './scenario.ts';

const DELAY_MS = 3_000;

/** The first turn begins late. */
export const slowFirstToken: Scenario = {
  name: 'slow_first_token',
  title: 'the first token comes late',
  faithful: 'Waits, and counts the time as the time of the model.',
  laundering: 'Gives up in silence and asks a second time, or counts the time as that of a tool.',
  play: (turn) =>
    turn.turn > 0
      ? honestPlay(turn)
      : { ...honestPlay(turn), delayMs: DELAY_MS, misbehaved: `${DELAY_MS} ms until the first token` },
};
