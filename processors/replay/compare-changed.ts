import { compareText } from '../model/compare-text.ts';
import type { ChangedAttempt } from './diff-tally.ts';

/** By unit, rollout and attempt. */
export function compareChanged(a: ChangedAttempt, b: ChangedAttempt): number {
  return compareText(a.unit, b.unit) || compareText(a.rollout_id, b.rollout_id) || a.attempt - b.attempt;
}
