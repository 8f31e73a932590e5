import { countingVerdicts } from '../../processors/model/counting-verdicts.ts';
import type { JsonRow, VerdictJson } from '../access/explanation.ts';
import { heldOf } from './facts-of-attempt.ts';

/** A row of `verdicts`, which does not know of the others. */
type VerdictRow = JsonRow & Pick<VerdictJson, 'scorer' | 'scorer_version' | 'status' | 'rewards' | 'bound_to' | 'late'>;

/** Which verdicts count: those in time, of each scorer its highest version. */
export function verdictsWithStanding(rows: readonly VerdictRow[]): VerdictJson[] {
  const asked = rows.map((row): VerdictJson => ({ ...row, standing: 'counts' }));
  const held = asked.map(heldOf);
  const counting = new Set(countingVerdicts(held.filter((_, index) => asked[index]?.late === false)));
  return asked.map((row, index) => {
    const verdict = held[index];
    if (verdict !== undefined && counting.has(verdict)) return row;
    return { ...row, standing: row.late ? 'late' : 'superseded' };
  });
}
