import type { Blame } from '../blame/blame.ts';
import type { BlamedKey } from '../blame/compare-shares.ts';
import { percent } from '../blame/sentence.ts';
import type { TrainedRow } from '../blame/trained-row.ts';
import { type Paint, plain } from './paint.ts';
import { drawTable, visible } from './table.ts';

/** Most lines of a table; the JSON has all. */
const MOST_KEYS = 8;
const MOST_ROWS = 10;

/** A sentence, then who moved the weights by reason, finding, lag and task, then the heaviest trajectories. */
export function blameText(blame: Blame, paint: Paint = plain): string {
  const { before, rows } = blame;
  const asked =
    before.steps.length < before.asked
      ? `${before.steps.length} of ${before.asked} steps before it are there`
      : `compared with the ${before.asked} steps before it`;
  return [
    `${paint('bold', visible(blame.sentence))}\n`,
    `lineage ${blame.lineage}; ${blame.loss_tokens} tokens in the loss; ${asked}\n`,
    keysText('reason', blame.by_reason, paint),
    keysText('finding', blame.by_finding, paint),
    keysText('lag', blame.by_lag, paint),
    keysText('task', blame.by_task, paint),
    rowsText(rows, blame.weight, paint),
  ].join('\n');
}

function keysText(name: string, keys: readonly BlamedKey[], paint: Paint): string {
  const shown = keys
    .slice(0, MOST_KEYS)
    .map((one) => [
      one.key,
      String(one.trajectories),
      ...(one.without_weight === 0 ? [''] : [String(one.without_weight)]),
      shortNumber(one.weight),
      ...[percent(one.share), percent(one.share_before), signed(one.difference)],
    ]);
  const head = [name, 'trajectories', 'without advantage', 'weight', 'share', 'before', 'difference'];
  const more = keys.length > MOST_KEYS ? `… and ${keys.length - MOST_KEYS} more (--json)\n` : '';
  return drawTable(head, shown, paint) + more;
}

function rowsText(rows: readonly TrainedRow[], whole: number, paint: Paint): string {
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) => [
      row.rollout_id,
      ...[String(row.attempt), row.reason, numberOrNull(row.reward), numberOrNull(row.advantage)],
      ...[row.loss_tokens === null ? null : String(row.loss_tokens)],
      ...[row.weight === null || whole === 0 ? null : percent(row.weight / whole)],
      row.replay_id === '' ? 'live' : row.replay_id,
    ]);
  const head = ['rollout', 'attempt', 'reason', 'reward', 'advantage', 'loss tokens', 'share', 'version'];
  const more = rows.length > MOST_ROWS ? `… and ${rows.length - MOST_ROWS} more (--json)\n` : '';
  return drawTable(head, shown, paint) + more;
}

function signed(difference: number | null): string {
  if (difference === null) return '';
  const points = Math.round(difference * 1000) / 10;
  return `${points > 0 ? '+' : ''}${points}`;
}

function numberOrNull(value: number | null): string | null {
  return value === null ? null : shortNumber(value);
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
