import { honestPlay, honestText, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first call of a task is aborted in the middle of its text, with HTTP 200, as engines do while weights are changed. */
export const abortPartial: Scenario = {
  name: 'abort_partial',
  title: 'an abort with HTTP 200 and half a text',
  faithful: 'Records the abort, and asks again or ends the rollout as aborted.',
  laundering: 'Half a text counts as a whole turn, or the rollout ends as complete.',
  play,
};

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn);
  const honest = saying(turn, `I do not know that by heart, so I will look it up first.\n${honestText(turn, 0)}`);
  if (turn.attempt > 0) return honest;
  const ids = honest.ids.slice(0, Math.ceil(honest.ids.length / 3));
  const finish = { type: 'abort', message: 'Aborted by the weight update.' } as const;
  return { ids, finish, misbehaved: `aborted after ${ids.length} tokens, with HTTP 200` };
}
