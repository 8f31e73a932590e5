import { type Row, textOf } from '../../api/row.ts';
import { summed, totalOf } from '../../api/sum-rows.ts';
import { count } from '../../parts/format.ts';
import { plainText } from '../../parts/untrusted-text.tsx';
import { ownerOf } from './owner-of.ts';

const NAMED = 3;
/** Owners that are at fault, or a limit: of a loop that completed there is no fault to name. */
const TOLD_OWNERS = new Set(['policy', 'env', 'infra', 'harness', 'verifier', 'budget']);

/** From rows of failure_share: how much was not trained, and why, in one sentence. */
export function failureSentence(rows: readonly Row[]): string {
  const decided = totalOf(rows);
  if (decided === 0) return 'No attempt was decided yet.';
  const failed = rows.filter(({ is_trained }) => is_trained !== true);
  const n = totalOf(failed);
  if (n === 0) return `All ${count(decided)} decided attempts go to the trainer.`;
  const reasons = summed(failed, (row) => textOf(row, 'reason'));
  const told = reasons.slice(0, NAMED).map(({ name, total, rows: of }) => {
    const owners = new Set(of.map(ownerOf));
    const [owner = ''] = owners;
    return `${count(total)} ${inWords(name)}${owners.size === 1 && TOLD_OWNERS.has(owner) ? ` (${owner})` : ''}`;
  });
  const rest = totalOf(reasons.slice(NAMED).flatMap((sum) => sum.rows));
  const others = rest === 0 ? '' : `, ${count(rest)} for other reasons`;
  return `${share(n, decided)} of ${count(decided)} did not train: ${told.join(', ')}${others}.`;
}

function inWords(reason: string): string {
  const again = /^retry:(.*)$/s.exec(reason);
  return again === null ? plainText(reason) : `${plainText(again[1] ?? '')}, to run again`;
}

/** Whole per cent, but never 0 % of some or 100 % of not all. */
function share(n: number, of: number): string {
  const rounded = Math.round((n / of) * 100);
  if (rounded === 0) return 'Less than 1 %';
  return rounded === 100 && n < of ? 'More than 99 %' : `${rounded} %`;
}
