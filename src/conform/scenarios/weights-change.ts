import { honestPlay } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** New weights come while the first call samples; all later calls are of the new ones. */
export const weightsChange: Scenario = {
  name: 'weights_change',
  title: 'new weights in the middle of a call',
  faithful: 'Records for each token which version sampled it.',
  laundering: 'All tokens of the call are of one version, or of none.',
  play,
};

function play(turn: Turn): Play {
  const honest = honestPlay(turn);
  if (turn.turn > 0) return { ...honest, versions: [{ start: 0, version: 'v2' }] };
  const start = Math.max(1, honest.ids.length >> 1);
  const versions = [
    { start: 0, version: 'v1' },
    { start, version: 'v2' },
  ];
  return { ...honest, versions, misbehaved: `weights v2 from token ${start} on` };
}
