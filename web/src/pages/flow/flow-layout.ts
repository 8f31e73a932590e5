import { type Books, rejectedOf } from './books.ts';

/** A number of attempts in one place of the picture. */
export interface FlowNode {
  readonly id: string;
  readonly title: string;
  readonly kind: FlowKind;
  readonly n: number;
  readonly column: number;
  readonly y: number;
  readonly height: number;
}

/** started, ready and so on, for colours; what stands behind them takes theirs. */
export type FlowKind = 'started' | 'ready' | 'rejected' | 'open' | 'superseded' | 'lost';

export interface FlowLink {
  readonly from: FlowNode;
  readonly to: FlowNode;
  readonly n: number;
  /** Top of it at either end. */
  readonly fromY: number;
  readonly toY: number;
  readonly width: number;
}

export interface FlowLayout {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
  readonly height: number;
}

/** Height of the whole at most, if each number were its share of it. */
const SCALE_PX = 260;
/** A label needs so much. */
const LINE_PX = 22;
const GAP_PX = 6;
const LEAST_PX = 2;
const MOST_REASONS = 10;

interface Part {
  readonly id: string;
  readonly title: string;
  readonly kind: FlowKind;
  readonly n: number;
  readonly from: ReadonlyArray<{ readonly id: string; readonly n: number }>;
}

/** From left to right: what started, its books, and what they hold. Widths are in proportion, and none is invisible. */
export function layFlow(books: Books): FlowLayout {
  const columns = columnsOf(books).map((parts) => parts.filter(({ n }) => n > 0));
  const most = Math.max(1, ...columns.map((parts) => parts.reduce((sum, { n }) => sum + n, 0)));
  const sizeOf = (n: number): number => Math.max(LEAST_PX, (n / most) * SCALE_PX);
  const nodes = columns.flatMap((parts, column) => stacked(parts, column, sizeOf));
  const links: FlowLink[] = [];
  const usedAtSource = new Map<string, number>();
  for (const [column, parts] of columns.entries()) {
    for (const part of parts) {
      let toY = nodes.find(({ id }) => id === part.id)?.y ?? 0;
      for (const { id, n } of part.from) {
        const from = nodes.find((node) => node.id === id && node.column < column);
        const to = nodes.find((node) => node.id === part.id);
        if (n === 0 || from === undefined || to === undefined) continue;
        const width = sizeOf(n);
        const used = usedAtSource.get(id) ?? 0;
        // What is drawn wider than its share must not leave its source.
        const fromY = Math.min(from.y + used, from.y + Math.max(0, from.height - width));
        links.push({ from, to, n, fromY, toY, width });
        usedAtSource.set(id, used + width);
        toY += width;
      }
    }
  }
  return { nodes, links, height: Math.max(0, ...nodes.map(({ y, height }) => y + Math.max(height, LINE_PX))) };
}

function stacked(parts: readonly Part[], column: number, sizeOf: (n: number) => number): FlowNode[] {
  let y = 0;
  return parts.map(({ id, title, kind, n }) => {
    const height = sizeOf(n);
    const node = { id, title, kind, n, column, y: y + Math.max(0, (LINE_PX - height) / 2), height };
    y += Math.max(height, LINE_PX) + GAP_PX;
    return node;
  });
}

function columnsOf(books: Books): [Part[], Part[], Part[]] {
  const part = (
    id: string,
    title: string,
    kind: FlowKind,
    n: number,
    from: ReadonlyArray<readonly [string, number]> = [],
  ): Part => ({ id, title, kind, n, from: from.map(([source, share]) => ({ id: source, n: share })) });
  const { started, ready, open, held, superseded, lost, inherited, re_emitted } = books;
  const rejected = rejectedOf(books);
  return [
    [
      part('started', 'started', 'started', started),
      part('inherited', 'taken over by a fork', 'started', inherited),
      part('re_emitted', 'sent again by a replay', 'started', re_emitted),
    ],
    [
      part('ready', 'ready', 'ready', ready + inherited + re_emitted, [
        ['started', ready],
        ['inherited', inherited],
        ['re_emitted', re_emitted],
      ]),
      part('open', 'open', 'open', open, [['started', open]]),
      part('rejected', 'rejected', 'rejected', rejected, [['started', rejected]]),
      part('superseded', 'superseded', 'superseded', superseded, [['started', superseded]]),
      part('lost', 'lost', 'lost', lost, [['started', lost]]),
    ],
    [
      ...Object.entries(books.ready_states).map(([state, n]) =>
        part(`state:${state}`, state.replaceAll('_', ' '), 'ready', n, [['ready', n]]),
      ),
      part('running', 'running', 'open', open - held, [['open', open - held]]),
      part('held', 'held by the gate', 'open', held, [['open', held]]),
      ...reasonsOf(books.rejected).map(([reason, title, n]) =>
        part(`reason:${reason}`, title, 'rejected', n, [['rejected', n]]),
      ),
    ],
  ];
}

/** The most frequent ones; the others as one, which has no name. */
function reasonsOf(rejected: Readonly<Record<string, number>>): Array<readonly [string, string, number]> {
  const sorted = Object.entries(rejected).sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
  const shown = sorted.slice(0, MOST_REASONS).map(([reason, n]) => [reason, reason, n] as const);
  const rest = sorted.slice(MOST_REASONS);
  if (rest.length === 0) return shown;
  return [...shown, ['', `${rest.length} other reasons`, rest.reduce((sum, [, n]) => sum + n, 0)] as const];
}
