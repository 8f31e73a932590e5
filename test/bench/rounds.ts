import { type Spread, spreadOf } from './spread.ts';

/** Seconds of work of one round. */
export interface Spent {
  readonly wallS: number;
  /** Of all threads of the process: the collector and the engine count. */
  readonly cpuS: number;
}

export async function spentOn(work: () => void | Promise<void>): Promise<Spent> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallS: (performance.now() - began) / 1000, cpuS: (user + system) / 1e6 };
}

export interface Rates {
  readonly figure: Spread;
  readonly yardstick: Spread;
  /** Median of the rounds' own ratios: figure over yardstick. */
  readonly ratio: number;
}

/**
 * Runs figure and yardstick in turn, after one round that is not counted, and answers in units a CPU second: on a machine that
 * is shared, that is what one core does.
 */
export async function comparedRates(
  rounds: number,
  count: number,
  figure: () => void | Promise<void>,
  yardstick: () => void | Promise<void>,
): Promise<Rates> {
  await figure();
  await yardstick();
  const figures: number[] = [];
  const yardsticks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    figures.push(count / (await spentOn(figure)).cpuS);
    yardsticks.push(count / (await spentOn(yardstick)).cpuS);
  }
  const ratios = figures.map((rate, round) => rate / (yardsticks[round] ?? Number.NaN));
  return { figure: spreadOf(figures), yardstick: spreadOf(yardsticks), ratio: spreadOf(ratios).median };
}
