import type { ReplayStatus } from '../rescore/replays.ts';
import type { Paint } from './paint.ts';
import { drawTable, visible } from './table.ts';

/** A line a replay. */
export function replayListText(replays: readonly ReplayStatus[], paint: Paint): string {
  if (replays.length === 0) return 'No replay was asked for yet.\n';
  const head = ['replay', 'state', 'kept', 'attempts', 'changed', 'emitted', 'started', 'label'];
  const rows = replays.map((one) => [
    ...[one.replay_id, stateOf(one), one.saved ? 'yes' : 'no', String(one.attempts), String(one.changed)],
    ...[String(one.emitted), one.started_at, one.label],
  ]);
  return drawTable(head, rows, paint);
}

/** How far one is, in a sentence or two. */
export function replayStatusText(one: ReplayStatus): string {
  const { replay_id, units, units_done, attempts, changed, emitted, rate, eta_s, error } = one;
  const pace = rate === null ? '' : `, ${rate} attempts/s`;
  const left = eta_s === null ? '' : `, ${eta_s} s left`;
  const why = error === null ? '' : `: ${error.message} [${error.code}]`;
  const far = `${units_done} of ${units} units, ${attempts} attempts, ${changed} changed, ${emitted} emitted`;
  const goesOn = one.interrupted ? `\n--resume ${replay_id} goes on with it` : '';
  return `${visible(`${replay_id}: ${stateOf(one)}${why}; ${far}${pace}${left}`)}${goesOn}\n`;
}

function stateOf({ state, interrupted }: ReplayStatus): string {
  return interrupted ? 'interrupted' : state;
}
