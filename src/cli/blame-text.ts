import type { Blame } from '../blame/blame.ts';
import type { BlamedKey } from '../blame/compare-shares.ts';
import type { TrainedRow } from '../blame/trained-row.ts';
import { type Paint, plain } from './paint.ts';
import { drawTable, visible } from './table.ts';

/** Most lines of a table; the JSON has all. */
const MOST_KEYS = 8;
const MOST_ROWS = 10;

/** A sentence, then who moved the weights by reason, finding, lag and task, then the heaviest trajectories. */
export function blameText(blame: Blame, paint: Paint = plain): string {
  const { before, rows } = blame;
  const missing = before.steps.length < before.asked ? ` of the ${before.asked} asked for` : '';
  const steps = `${before.steps.length}${missing} before it, ${before.compared} of them with a weight to compare`;
  // Each batch has other tasks: those that it does not have say nothing.
  const tasks = blame.by_task.filter(({ trajectories }) => trajectories > 0);
  return [
    `${paint('bold', visible(blame.sentence))}\n`,
    `lineage ${blame.lineage}; ${blame.loss_tokens} tokens in the loss; steps: ${steps}\n`,
    keysText('reason', blame.by_reason, paint),
    keysText('finding', blame.by_finding, paint),
    keysText('lag', blame.by_lag, paint),
    keysText('task', tasks, paint),
    rowsText(rows, blame.weight, paint),
  ].join('\n');
}

function keysText(name: string, keys: readonly BlamedKey[], paint: Paint): string {
  const head = [name, 'trajectories', 'without weight', 'weight', 'share %', 'before %', 'difference'];
  const shown = keys
    .slice(0, MOST_KEYS)
    .map(({ key, trajectories, without_weight: without, weight, share, share_before: before, difference }) => [
      key,
      ...[String(trajectories), String(without), shortNumber(weight)],
      ...[percentOf(share), percentOf(before), percentOf(difference)],
    ]);
  return drawTable(head, shown, paint) + moreThan(keys, MOST_KEYS);
}

function rowsText(rows: readonly TrainedRow[], whole: number, paint: Paint): string {
  const head = ['rollout', 'attempt', 'reason', 'reward', 'advantage', 'loss tokens', 'share %', 'version'];
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) => [
      row.rollout_id,
      String(row.attempt),
      row.reason === '' ? 'unknown' : row.reason,
      ...[row.reward, row.advantage, row.loss_tokens].map((value) => (value === null ? null : shortNumber(value))),
      percentOf(row.weight === null || whole === 0 ? null : row.weight / whole),
      row.replay_id === '' ? 'live' : row.replay_id,
    ]);
  return drawTable(head, shown, paint) + moreThan(rows, MOST_ROWS);
}

function moreThan(all: readonly unknown[], most: number): string {
  return all.length > most ? `… and ${all.length - most} more (--json)\n` : '';
}

function percentOf(share: number | null): string | null {
  return share === null ? null : String(Math.round(share * 1000) / 10);
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
