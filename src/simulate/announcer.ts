import type { Announced } from '../lanes/control-writer.ts';
import type { Random } from './random.ts';

/** How many names of weights the rollouts of a simulation know: some are never announced. */
export const VERSIONS = 10;

/**
 * The trainers of some runs, as a lane hears of them: version after version, now and then one that was announced before, and at
 * times a rewind, which opens another lineage a little below the last version.
 */
export function createAnnouncer(random: Random, runs: readonly string[]): () => Announced {
  const trainers = new Map<string, { count: number; lineage: number; said: Announced[] }>();
  let source = 0;
  return function announce() {
    const runId = random.pick(runs);
    const trainer = trainers.get(runId) ?? { count: 0, lineage: 0, said: [] };
    trainers.set(runId, trainer);
    if (trainer.said.length > 0 && random.chance(0.15)) return random.pick(trainer.said);
    const last = trainer.said.at(-1)?.ordinal ?? -1;
    const isRewind = random.chance(0.1);
    if (isRewind) trainer.lineage += 1;
    const ordinal = Math.max(0, isRewind ? last - random.whole(0, 2) : last + 1);
    const lineage = trainer.lineage === 0 ? '' : `l${trainer.lineage}`;
    const announced = { runId, lineage, version: `v${trainer.count++}`, ordinal, source: source++ };
    trainer.said.push(announced);
    return announced;
  };
}
