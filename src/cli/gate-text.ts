import type { GateStatus } from '../gate/gate-status.ts';
import { gateWhy, rateText } from '../gate/gate-why.ts';
import type { Paint } from './paint.ts';
import { drawTable, visible } from './table.ts';

const COLOURS = { preflight: 'yellow', open: 'green', warn: 'yellow', quarantine: 'yellow', hold: 'red' } as const;

/** For a person: each run in a paragraph, with its limits. */
export function gateText(gates: readonly GateStatus[], paint: Paint): string {
  if (gates.length === 0) return 'no run has begun\n';
  return gates.map((gate) => paragraph(gate, paint)).join('\n');
}

function paragraph(gate: GateStatus, paint: Paint): string {
  const { run_id, state, classes, by, since, held, window } = gate;
  const named = classes.length === 0 ? '' : ` of ${classes.map(visible).join(', ')}`;
  const when = since === null ? 'by policy' : `since ${since}, by ${by}`;
  const lines = [
    `${paint('bold', visible(run_id))}: ${paint(COLOURS[state], state)}${named}, ${when}; ${held} held`,
    ...gateWhy(gate.why).map((text) => `  ${visible(text)}`),
    windowLine(window, state),
  ];
  const rows = window.rates.map(({ limit, bound, bound_at, rate, low, high, n, hits, is_tripped }) => [
    limit,
    `${bound} ${rateText(bound_at)}`,
    rate === null ? '–' : rateText(rate),
    low === null || high === null ? '–' : `${rateText(low)} to ${rateText(high)}`,
    hits === null ? `${n}` : `${hits} of ${n}`,
    is_tripped ? paint('red', 'tripped') : '',
  ]);
  const table = rows.length === 0 ? '' : drawTable(['limit', 'bound', 'rate', '95 %', 'count', ''], rows, paint);
  return `${lines.join('\n')}\n${indented(table)}`;
}

function windowLine({ from, size, min_count, preflight, trajectories }: GateStatus['window'], state: string): string {
  const begun = from === null ? '' : `, decided from ${from} on`;
  if (state === 'preflight')
    return `  ${trajectories} of the first ${preflight || min_count} that it waits for${begun}`;
  const few = trajectories < min_count ? ` (fewer than ${min_count} say nothing)` : '';
  return `  window: ${trajectories} of at most ${size}${begun}${few}`;
}

function indented(table: string): string {
  return table.replace(/^(?=.)/gm, '  ');
}
