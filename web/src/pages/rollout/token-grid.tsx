import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FlatTokens } from './flat-tokens.ts';
import { indexOf } from './flat-tokens.ts';
import { RowLine } from './row-line.tsx';
import { TokenBox } from './token-box.tsx';
import type { TokenLooks } from './token-looks.ts';
import { endOfRow, ROW, rowOf, type TokenRows } from './token-rows.ts';

interface TokenGridProps {
  readonly flat: FlatTokens;
  readonly rows: TokenRows;
  readonly looks: TokenLooks;
  readonly cursor: number;
  /** Reuse of a prompt, by call. */
  readonly prefixOf: (turn: number) => number | null;
  readonly finishOf: (turn: number) => string | null;
  readonly onPick: (position: number) => void;
  readonly onHover: (position: number | null) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

export const ROW_PX = 44;
/** Rows beyond those in view, so that a scroll does not show an empty edge. */
const BEYOND = 6;

/** Rows of tokens, of which only those in view are drawn. */
export function TokenGrid({ flat, rows, looks, cursor, prefixOf, finishOf, onPick, onHover, onKey }: TokenGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);

  useEffect(() => {
    const grid = box.current;
    if (grid === null) return;
    const watch = new ResizeObserver(() => setHeight(grid.clientHeight));
    watch.observe(grid);
    return () => watch.disconnect();
  }, []);

  // The row of the cursor stays in view, also after the width has changed.
  useLayoutEffect(() => {
    const grid = box.current;
    if (grid === null || cursor < 0) return;
    const at = rowOf(rows, cursor) * ROW_PX;
    if (at < grid.scrollTop + ROW_PX || at + 2 * ROW_PX > grid.scrollTop + grid.clientHeight)
      grid.scrollTop = Math.max(0, at - Math.floor(grid.clientHeight / 3));
    setTop(grid.scrollTop);
  }, [cursor, rows]);

  const first = Math.max(0, Math.floor(top / ROW_PX) - BEYOND);
  const last = Math.min(rows.count, Math.ceil((top + height) / ROW_PX) + BEYOND);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, nth) => first + nth);
  const { segment, index } = indexOf(flat, Math.max(0, cursor));
  return (
    <div
      ref={box}
      class="token-grid"
      role="application"
      tabIndex={0}
      aria-label={`${flat.count} tokens; the cursor is at token ${index} of segment ${segment}`}
      aria-activedescendant={cursor < 0 ? undefined : `token-${cursor}`}
      aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown n p [ ] g ?"
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKey}
      onClick={(event) => withPosition(event.target, onPick)}
      // Not when it comes over a token: one that is drawn anew under a pointer that rests is not pointed at.
      onPointerMove={(event) => withPosition(event.target, onHover)}
      onPointerLeave={() => onHover(null)}
    >
      <div class="token-rows" style={{ height: `${rows.count * ROW_PX}px` }}>
        {shown.map((row) => (
          <div key={row} class="token-row" style={{ transform: `translateY(${row * ROW_PX}px)` }}>
            {rows.kind[row] === ROW.tokens ? (
              boxes(rows.at[row] ?? 0, endOfRow(rows, flat, row))
            ) : (
              <RowLine flat={flat} rows={rows} row={row} prefixOf={prefixOf} finishOf={finishOf} />
            )}
          </div>
        ))}
      </div>
    </div>
  );

  function boxes(from: number, to: number) {
    return Array.from({ length: to - from }, (_, nth) => from + nth).map((position) => (
      <TokenBox key={position} position={position} flat={flat} looks={looks} isCursor={position === cursor} />
    ));
  }
}

function withPosition(target: EventTarget | null, then: (position: number) => void): void {
  const token = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
  if (token?.dataset.at !== undefined) then(Number(token.dataset.at));
}
