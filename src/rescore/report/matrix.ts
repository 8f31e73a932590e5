import type { DiffCell } from '../../../processors/replay/diff-tally.ts';
import { counted } from '../../audit/report/figures.ts';
import { type Html, html } from '../../audit/report/html-text.ts';
import { movedCells } from './moved-cells.ts';

/** Values on a side up to which a square can be read at a glance; more make a list. */
const MOST_VALUES = 12;

/** From what to what it changed: a square of few values, a list of many. `uncounted`: attempts that have no cell. */
export function matrixHtml(matrix: readonly DiffCell[], uncounted = 0): Html {
  const { cells, n, more } = movedCells(matrix, uncounted);
  if (n === 0) return html`<p class="dim">Nothing changed.</p>`;
  const from = valuesOf(cells.map((cell) => cell.from));
  const to = valuesOf(cells.map((cell) => cell.to));
  const isSquare = cells.length > 0 && from.length <= MOST_VALUES && to.length <= MOST_VALUES;
  const rest = more === 0 ? '' : html`<p class="dim">and ${counted(more, 'attempt')} of other values</p>`;
  return html`<div class="wide">${isSquare ? square(cells, from, to) : list(cells)}</div>${rest}`;
}

function square(cells: readonly DiffCell[], from: readonly string[], to: readonly string[]): Html {
  const most = Math.max(...cells.map(({ n }) => n));
  const cellAt = (was: string, is: string): Html => {
    const cell = cells.find((one) => one.from === was && one.to === is);
    if (cell === undefined) return html`<td class="none">${was === is ? '=' : ''}</td>`;
    const shade = Math.round(12 + (cell.n / most) * 48);
    return html`<td class="cell" style="--shade:${shade}%" title="${cell.examples.join(', ')}"><b>${cell.n}</b><small>${cell.examples[0] ?? ''}</small></td>`;
  };
  return html`<table class="square"><thead><tr><th>was ↓ is →</th>${to.map((is) => html`<th>${is}</th>`)}</tr></thead><tbody>${from.map(
    (was) => html`<tr><th>${was}</th>${to.map((is) => cellAt(was, is))}</tr>`,
  )}</tbody></table>`;
}

function list(cells: readonly DiffCell[]): Html {
  return html`<table><thead><tr><th>was</th><th>is</th><th class="n">attempts</th><th>such as</th></tr></thead><tbody>${cells.map(
    ({ from, to, n, examples }) =>
      html`<tr><td>${from}</td><td>${to}</td><td class="n">${n}</td><td>${examples.join(', ')}</td></tr>`,
  )}</tbody></table>`;
}

/** Numbers by size, null before them, names as they come: the most frequent first. */
function valuesOf(values: readonly string[]): string[] {
  const each = [...new Set(values)];
  const isNumeric = each.every((value) => value === 'null' || Number.isFinite(Number(value)));
  if (!isNumeric) return each;
  const sizeOf = (value: string) => (value === 'null' ? Number.NEGATIVE_INFINITY : Number(value));
  return each.sort((a, b) => (sizeOf(a) < sizeOf(b) ? -1 : 1));
}
