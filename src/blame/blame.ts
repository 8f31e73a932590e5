import { BLAMED_BY, type BlamedKey, compareShares, weightOf } from './compare-shares.ts';
import { sentenceOf } from './sentence.ts';
import type { TrainedRow } from './trained-row.ts';

/** What moved the weights in one optimizer step, and what of it is unlike the steps before. */
export interface Blame {
  readonly run_id: string;
  readonly step: number;
  readonly lineage: number;
  /** The answer in words. */
  readonly sentence: string;
  readonly trajectories: number;
  /** Trajectories without an advantage: they are in no share. */
  readonly without_advantage: number;
  /** Tokens that they have in the loss; those whose trajectory is not there left out. */
  readonly loss_tokens: number;
  /** Σ |advantage| × loss tokens. */
  readonly weight: number;
  readonly before: {
    /** How many steps were asked for. */
    readonly asked: number;
    /** Those that were there, the last first. */
    readonly steps: readonly number[];
    /** Those of them that have a weight, and so shares to compare with. */
    readonly compared: number;
  };
  readonly by_reason: readonly BlamedKey[];
  readonly by_finding: readonly BlamedKey[];
  readonly by_lag: readonly BlamedKey[];
  readonly by_task: readonly BlamedKey[];
  /** Those of the step, the heaviest first. */
  readonly rows: readonly TrainedRow[];
}

/** Rows of one step and of those before it; null: none of the step. */
export function blameOf(rows: readonly TrainedRow[], step: number, asked: number): Blame | null {
  const now = rows.filter((row) => row.step === step);
  const [first] = now;
  if (first === undefined) return null;
  const steps = [...new Set(rows.map((row) => row.step))].filter((one) => one < step).sort((a, b) => b - a);
  const before = steps.map((one) => rows.filter((row) => row.step === one));
  const facts = {
    run_id: first.run_id,
    step,
    lineage: now.reduce((highest, { lineage }) => Math.max(highest, lineage), first.lineage),
    trajectories: now.length,
    without_advantage: now.filter(({ advantage }) => advantage === null).length,
    loss_tokens: now.reduce((sum, row) => sum + (row.loss_tokens ?? 0), 0),
    weight: weightOf(now),
    before: { asked, steps, compared: before.filter((one) => weightOf(one) > 0).length },
    by_reason: compareShares(now, before, BLAMED_BY.reason),
    by_finding: compareShares(now, before, BLAMED_BY.finding),
    by_lag: compareShares(now, before, BLAMED_BY.lag),
    by_task: compareShares(now, before, BLAMED_BY.task),
  };
  return { ...facts, sentence: sentenceOf(facts), rows: now };
}
