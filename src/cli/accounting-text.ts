import { READY_STATES } from '../../processors/model/delivery.ts';
import type { Accounting, RunAccounting } from '../clickhouse/accounting.ts';
import { type Paint, plain } from './paint.ts';
import { drawTable } from './table.ts';

/** A line a run, then what was delivered, then the rejected by reason. */
export function accountingText(accounting: Accounting, paint: Paint = plain): string {
  if (accounting.runs.length === 0) return 'no runs yet\n';
  const head = ['run', 'started', '=', 'ready', 'rejected', 'open', 'lost', 'superseded', 'held', 'balanced'];
  const rows = accounting.runs.map((run) => [
    run.run_id,
    String(run.started),
    '',
    ...[run.ready, rejectedOf(run), run.open, run.lost, run.superseded, run.held].map(String),
    run.balanced ? paint('green', 'yes') : paint('red', `no: ${missingIn(run)}`),
  ]);
  const reasons = accounting.runs.flatMap((run) =>
    Object.entries(run.rejected)
      .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
      .map(([reason, count]) => [run.run_id, reason, String(count)]),
  );
  const text = drawTable(head, rows, paint);
  const because = reasons.length === 0 ? '' : `\n${drawTable(['run', 'rejected because', 'attempts'], reasons, paint)}`;
  const refused = notTakenInText(accounting.runs);
  return `${text}${deliveredText(accounting.runs, paint)}${because}${refused === '' ? '' : `\n${paint('yellow', refused)}\n`}`;
}

/** What became of what is ready, of runs of which something was taken; empty: of none. */
function deliveredText(runs: readonly RunAccounting[], paint: Paint): string {
  // Most pipelines have never replayed anything: no columns of zeros.
  const isReplayed = runs.some((run) => run.re_emitted > 0 || run.ready_states.replaced > 0);
  const states = READY_STATES.filter((state) => isReplayed || state !== 'replaced');
  const rows = runs
    .filter((run) => run.inherited > 0 || run.re_emitted > 0 || run.ready_states.queued !== run.ready)
    .map(({ run_id, ready, inherited, re_emitted, ready_states }) => [
      ...[run_id, String(ready), String(inherited), ...(isReplayed ? [String(re_emitted)] : []), ''],
      ...states.map((state) => String(ready_states[state])),
    ]);
  const head = ['run', 'ready', 'inherited', ...(isReplayed ? ['re_emitted'] : []), '=', ...states];
  return rows.length === 0 ? '' : `\n${drawTable(head, rows, paint)}`;
}

/** Starts that their groups refused, over all runs; empty: none. */
export function notTakenInText(runs: readonly Pick<RunAccounting, 'not_taken_in'>[]): string {
  const sums = new Map<string, number>();
  for (const { not_taken_in } of runs)
    for (const [reason, n] of Object.entries(not_taken_in)) sums.set(reason, (sums.get(reason) ?? 0) + n);
  const byCount = [...sums].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  const total = byCount.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return '';
  const starts = total === 1 ? '1 start was' : `${total} starts were`;
  return `${starts} not taken in: ${byCount.map(([reason, n]) => `${n} ${reason}`).join(', ')} (query step_faults)`;
}

export function rejectedOf(run: RunAccounting): number {
  return Object.values(run.rejected).reduce((sum, count) => sum + count, 0);
}

/** Which of the two sums is another than it should be. */
function missingIn(run: RunAccounting): string {
  const states = Object.values(run.ready_states).reduce((sum, n) => sum + n, 0);
  const due = run.ready + run.inherited + run.re_emitted;
  return sumOf(run) === run.started && states !== due ? `${states} of ${due} ready` : `${sumOf(run)} of ${run.started}`;
}

function sumOf(run: RunAccounting): number {
  return run.ready + rejectedOf(run) + run.open + run.lost + run.superseded;
}
