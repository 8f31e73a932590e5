import type { GatesByRun } from './gate.ts';
import type { WeightsByRun } from './weights.ts';

/** Documents by hash. */
export interface DocumentIds {
  readonly policy_id: string;
  readonly taxonomy_id: string;
}

/** What control events put in force, as of the last record that was folded. */
export interface InForce extends DocumentIds {
  readonly weights: WeightsByRun;
  readonly gates: GatesByRun;
}
