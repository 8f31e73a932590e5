import { createSimulateSeed, type SeedResult } from './simulate-seed.ts';

export interface RoundsResult {
  readonly rounds: number;
  /** Times that a process died, hung, lost its lane or was told to stop. */
  readonly crashes: number;
  /** Calls of a service that failed, some of them after they had taken effect. */
  readonly faults: number;
  readonly steps: number;
  readonly failures: readonly string[];
}

/** In each run of a round with faults: more of them and nothing would ever be decided. */
const CRASHES_A_RUN = 6;

/**
 * Rounds of a seed until `crashes` have happened. The first is the seed itself, the others are named `seed.1`, `seed.2` …: a round
 * that failed is repeated by its name.
 */
export async function simulateRounds(
  { seed, crashes }: { readonly seed: string; readonly crashes: number },
  onRound: (result: SeedResult) => void = () => undefined,
): Promise<RoundsResult> {
  const simulateSeed = createSimulateSeed();
  const sum = { rounds: 0, crashes: 0, faults: 0, steps: 0 };
  const failures: string[] = [];
  do {
    const result = await simulateSeed(sum.rounds === 0 ? seed : `${seed}.${sum.rounds}`, CRASHES_A_RUN);
    sum.rounds += 1;
    sum.crashes += result.crashes;
    sum.faults += result.faults;
    sum.steps += result.steps;
    if (result.failure !== null) failures.push(result.failure);
    onRound(result);
  } while (sum.crashes < crashes);
  return { ...sum, failures };
}
