import type { Blame } from './blame.ts';
import type { BlamedKey } from './compare-shares.ts';

/** Shares of fewer steps say nothing: one batch is unlike the next. */
const FEWEST_STEPS = 3;
/** A smaller difference of shares is not worth a sentence. */
const WORTH_SAYING = 0.05;

type Facts = Omit<Blame, 'sentence' | 'rows'>;

/** The answer in one sentence or two: who moved the weights, and whether that is unlike the steps before. */
export function sentenceOf(facts: Facts): string {
  const { run_id: run, step, trajectories, without_advantage: without, weight, before } = facts;
  const apart = without === 0 ? '' : ` (${without} without an advantage)`;
  const trained = `Step ${step} of ${run} trained ${counted(trajectories, 'trajectory', 'trajectories')}${apart}`;
  if (weight === 0) return `${trained}: none of them could move the weights, no advantage is other than 0.`;
  if (before.compared === 0) return `${trained}; ${mostOf(facts)}. No step before it can be compared.`;
  const few = before.compared < FEWEST_STEPS;
  const steps = `the ${before.compared === 1 ? 'step' : `${before.compared} steps`} before`;
  const unlike = mostUnlike(facts);
  const told =
    unlike === null
      ? `${mostOf(facts)}, and no share is ${percent(WORTH_SAYING)} off ${steps}`
      : `${unlike.what} has ${percent(unlike.key.share)} of the weight, ${percent(unlike.key.share_before)} in ${steps}`;
  return `${trained}; ${told}.${few ? ' Too few steps to tell a change from chance.' : ''}`;
}

interface Unlike {
  readonly what: string;
  readonly key: BlamedKey;
}

/** Tasks are left out: each batch has others. */
function mostUnlike({ by_reason: reasons, by_finding: findings, by_lag: lags }: Facts): Unlike | null {
  const all = [
    ...reasons.map((key): Unlike => ({ what: `reason ${key.key}`, key })),
    ...findings
      .filter(({ key }) => key !== 'none' && key !== 'not_auditable')
      .map((key): Unlike => ({ what: `finding ${key.key}`, key })),
    ...lags.map((key): Unlike => ({ what: `lag ${key.key}`, key })),
  ];
  const sizeOf = ({ key }: Unlike): number => Math.abs(key.difference ?? 0);
  const [first] = all.sort((a, b) => sizeOf(b) - sizeOf(a));
  return first === undefined || sizeOf(first) < WORTH_SAYING ? null : first;
}

function mostOf({ by_reason: reasons }: Facts): string {
  const [first] = [...reasons].sort((a, b) => b.weight - a.weight);
  return `reason ${first?.key ?? 'unknown'} has ${percent(first?.share ?? null)} of the weight`;
}

function percent(share: number | null): string {
  return share === null ? 'unknown' : `${Math.round(share * 1000) / 10} %`;
}

function counted(n: number, one: string, several: string): string {
  return `${n} ${n === 1 ? one : several}`;
}
