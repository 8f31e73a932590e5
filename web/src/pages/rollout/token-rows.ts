import { type FlatTokens, SAMPLED } from './flat-tokens.ts';

/** What a row is: tokens, or a line that says what begins. */
export const ROW = { tokens: 0, segment: 1, prompt: 2, sampled: 3, version: 4, rest: 5 } as const;

/** Rows of one height, so that any of them can be found without the others. */
export interface TokenRows {
  readonly count: number;
  /** One of ROW. */
  readonly kind: Uint8Array;
  /** Position of its first token; of a line, of the token that follows. */
  readonly at: Uint32Array;
  /** Of a line: its segment. */
  readonly segment: Uint16Array;
  /** Of a line: its call; -1: none. */
  readonly turn: Int32Array;
}

/** One pass. `widthOf` is in columns; a token that ends a line ends its row, as text would. */
export function tokenRows(
  flat: FlatTokens,
  columns: number,
  widthOf: (position: number) => number,
  endsLine: (position: number) => boolean,
): TokenRows {
  const rows = growing();
  flat.segments.forEach((segment, number) => {
    const positionAt = (index: number): number => segment.from + Math.max(index, segment.first) - segment.first;
    rows.add(ROW.segment, segment.from, number, -1);
    let before = segment.first;
    for (const { turn, start, end } of segment.turns) {
      rows.add(ROW.prompt, positionAt(before), number, turn);
      addTokens(positionAt(before), positionAt(start), number, turn);
      rows.add(ROW.sampled, positionAt(start), number, turn);
      addTokens(positionAt(start), positionAt(end), number, turn);
      before = end;
    }
    if (before >= segment.length) return;
    rows.add(ROW.rest, positionAt(before), number, -1);
    addTokens(positionAt(before), positionAt(segment.length), number, -1);
  });
  return rows.done();

  function addTokens(from: number, to: number, segment: number, turn: number): void {
    let used = columns;
    for (let at = from; at < to; at += 1) {
      const isSampled = ((flat.masks[at] ?? 0) & SAMPLED) !== 0;
      const isOther = isSampled && (at === from || flat.version[at] !== flat.version[at - 1]);
      if (isOther && (flat.version[at] ?? -1) >= 0) {
        rows.add(ROW.version, at, segment, turn);
        used = columns;
      }
      const width = widthOf(at);
      if (used + width > columns) {
        rows.add(ROW.tokens, at, segment, turn);
        used = 0;
      }
      used = endsLine(at) ? columns : used + width;
    }
  }
}

/** First token after the row. */
export function endOfRow(rows: TokenRows, flat: FlatTokens, row: number): number {
  return row + 1 < rows.count ? (rows.at[row + 1] ?? flat.count) : flat.count;
}

/** Row of tokens that holds a position. */
export function rowOf(rows: TokenRows, position: number): number {
  let [low, high] = [0, rows.count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows.at[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function growing() {
  let [kind, at, segment, turn] = [
    new Uint8Array(1024),
    new Uint32Array(1024),
    new Uint16Array(1024),
    new Int32Array(1024),
  ];
  let count = 0;
  return {
    add(rowKind: number, position: number, inSegment: number, ofTurn: number): void {
      if (count === kind.length) {
        const more = count * 2;
        [kind, at, segment, turn] = [
          grown(kind, new Uint8Array(more)),
          grown(at, new Uint32Array(more)),
          grown(segment, new Uint16Array(more)),
          grown(turn, new Int32Array(more)),
        ];
      }
      kind[count] = rowKind;
      at[count] = position;
      segment[count] = inSegment;
      turn[count] = ofTurn;
      count += 1;
    },
    done: (): TokenRows => ({ count, kind, at, segment, turn }),
  };
}

function grown<Numbers extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(
  from: Numbers,
  to: Numbers,
): Numbers {
  to.set(from);
  return to;
}
