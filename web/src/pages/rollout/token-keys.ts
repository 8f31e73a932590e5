import type { FlatTokens } from './flat-tokens.ts';
import { endOfRow, ROW, rowOf, type TokenRows } from './token-rows.ts';

/** Where a key takes the cursor; null: it is no key of the tokens. */
export function movedBy(
  key: string,
  cursor: number,
  flat: FlatTokens,
  rows: TokenRows,
  pins: readonly number[],
): number | null {
  const last = flat.count - 1;
  const within = (position: number): number => Math.min(last, Math.max(0, position));
  switch (key) {
    case 'ArrowLeft':
      return within(cursor - 1);
    case 'ArrowRight':
      return within(cursor + 1);
    case 'ArrowUp':
      return besideRow(cursor, -1);
    case 'ArrowDown':
      return besideRow(cursor, 1);
    case 'PageUp':
      return besideRow(cursor, -10);
    case 'PageDown':
      return besideRow(cursor, 10);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'n':
      return pins.find((pin) => pin > cursor) ?? pins[0] ?? cursor;
    case 'p':
      return pins.findLast((pin) => pin < cursor) ?? pins.at(-1) ?? cursor;
    case ']':
      return turnStarts(flat).find((start) => start > cursor) ?? cursor;
    case '[':
      return turnStarts(flat).findLast((start) => start < cursor) ?? cursor;
    default:
      return null;
  }

  /** The token at the same place of a row above or below, lines left out. */
  function besideRow(position: number, by: number): number {
    let row = rowOf(rows, position);
    const column = position - (rows.at[row] ?? 0);
    const step = Math.sign(by);
    for (let left = Math.abs(by); left > 0; ) {
      let next = row + step;
      while (next >= 0 && next < rows.count && rows.kind[next] !== ROW.tokens) next += step;
      if (next < 0 || next >= rows.count) break;
      row = next;
      left -= 1;
    }
    if (rows.kind[row] !== ROW.tokens) return position;
    return Math.min((rows.at[row] ?? 0) + column, endOfRow(rows, flat, row) - 1);
  }
}

/** Positions at which calls begin to sample. */
export function turnStarts({ segments }: FlatTokens): number[] {
  return segments.flatMap(({ turns, from, first }) => turns.map(({ start }) => from + Math.max(start, first) - first));
}
