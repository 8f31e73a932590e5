import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import type { TrajectoryJson } from '../../../../src/ready/trajectory-json.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { flatTokens, indexOf, missingWords, positionOf } from './flat-tokens.ts';
import type { PinnedFinding } from './pinned-findings.ts';
import { TokenGrid } from './token-grid.tsx';
import { movedBy } from './token-keys.ts';
import { TokenLegend } from './token-legend.tsx';
import { type Below, type TokenLooks, widthsOf } from './token-looks.ts';
import { PointedToken, TokenPanel } from './token-panel.tsx';
import { tokenRows } from './token-rows.ts';
import { tokenText } from './token-text.tsx';
import { TokenTools } from './token-tools.tsx';
import { useColumns } from './use-columns.ts';
import type { Pieces } from './use-pieces.ts';
import type { ViewerPlace } from './viewer-place.ts';

interface TokenViewProps {
  readonly attempt: ExplainedAttempt;
  readonly trajectory: TrajectoryJson;
  readonly pinned: readonly PinnedFinding[];
  readonly pieces: Pieces;
  readonly place: ViewerPlace;
}

/** A URL for each cursor, without a step of the history for each key. */
const URL_AFTER_MS = 200;

/** Each token a box. */
export function TokenView({ attempt, trajectory, pinned, pieces, place }: TokenViewProps) {
  const flat = useMemo(() => flatTokens(trajectory), [trajectory]);
  const pins = useMemo(() => pinsOf(), [flat, pinned]);
  // null: where the link, or the first finding, is; texts that come later may still tell that place better.
  const [moved, setMoved] = useState<number | null>(null);
  const cursor = moved ?? startOf();
  const [hovered, setHovered] = useState<number | null>(null);
  const [below, setBelow] = useState<Below>('id');
  const [measured, columns] = useColumns();
  const written = useRef('');

  const looks: TokenLooks = useMemo(
    () => ({
      textOf: (position) => tokenText(pieces.pieceOf(flat.ids[position] ?? -1)),
      below,
      pinnedAt: pins.severities,
    }),
    [flat, pieces, below, pins],
  );
  const rows = useMemo(() => {
    const endsLine = (position: number): boolean => looks.textOf(position).endsWith('↵');
    return tokenRows(flat, columns, widthsOf(flat, pieces.pieceOf, below), endsLine);
  }, [flat, columns, pieces, below]);

  // A link within the page moves the cursor; the cursor's own trace in the URL does not.
  const linked = `${place.segment} ${place.token}`;
  useEffect(() => {
    if (linked === written.current) return;
    setMoved(null);
    measured.current?.querySelector<HTMLElement>('.token-grid')?.focus({ preventScroll: true });
  }, [linked]);
  // What comes above the grid with the texts would push it out of view again.
  useEffect(() => {
    if (moved === null && linked !== written.current) measured.current?.scrollIntoView({ block: 'nearest' });
  }, [linked, pieces]);
  useEffect(() => {
    if (moved === null) return;
    const timer = setTimeout(() => {
      const { segment, index } = indexOf(flat, moved);
      const shown = segment === flat.segments[0]?.id ? '' : segment;
      written.current = `${shown} ${index}`;
      if (written.current !== linked) goWith({ segment: shown, token: String(index), turn: null }, 'replace');
    }, URL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [moved]);

  const move = (event: KeyboardEvent): void => {
    const to =
      event.ctrlKey || event.metaKey || event.altKey ? null : movedBy(event.key, cursor, flat, rows, pins.starts);
    if (to === null) return;
    event.preventDefault();
    setMoved(to);
    setHovered(null);
  };

  const isMissing = moved === null && place.token !== null && positionOf(flat, place.segment, place.token) < 0;
  const turn = flat.turn[cursor] ?? -1;
  const finishOf = (of: number): string | null =>
    trajectory.turns.find((one) => one.turn === of)?.finish_reason ?? null;
  if (flat.count === 0)
    return <p class="empty">No token ids of this attempt were recorded, and none are made up from its text.</p>;
  return (
    <div class="token-view">
      <TokenTools
        flat={flat}
        pinned={pinned}
        starts={pins.starts}
        cursor={cursor}
        below={below}
        onBelow={setBelow}
        onGo={setMoved}
      />
      {isMissing ? (
        <p class="warn" role="status">
          <UntrustedText text={missingWords(flat, place.segment, place.token ?? 0)} />
        </p>
      ) : null}
      <div class="token-main">
        <div ref={measured} class="token-measured">
          <TokenGrid
            flat={flat}
            rows={rows}
            looks={looks}
            cursor={cursor}
            prefixOf={(of) => prefixOf(attempt, of)}
            finishOf={finishOf}
            onPick={setMoved}
            onHover={setHovered}
            onKey={move}
          />
        </div>
        <div>
          <TokenPanel
            flat={flat}
            position={cursor}
            piece={pieces.pieceOf(flat.ids[cursor] ?? -1)}
            finishReason={turn < 0 ? null : finishOf(turn)}
            findings={pinned.filter((one) => rangesOf(one).some(([from, to]) => cursor >= from && cursor < to))}
          />
          {hovered === null || hovered === cursor ? null : (
            <PointedToken flat={flat} position={hovered} piece={pieces.pieceOf(flat.ids[hovered] ?? -1)} />
          )}
        </div>
      </div>
      <TokenLegend />
    </div>
  );

  function startOf(): number {
    if (place.token !== null) return Math.max(0, positionOf(flat, place.segment, place.token));
    const turn = trajectory.turns.find((one) => one.turn === place.turn);
    if (turn !== undefined) return Math.max(0, positionOf(flat, turn.segment_id, turn.start));
    return pins.starts[0] ?? 0;
  }

  function rangesOf({ places }: PinnedFinding): Array<readonly [number, number]> {
    return places.flatMap(({ segment, from, to }) => {
      const start = positionOf(flat, segment, from);
      return start < 0 ? [] : [[start, start + to - from] as const];
    });
  }

  /** A finding that is about a whole call or the end is pinned at its first token alone. */
  function pinsOf(): { readonly severities: ReadonlyMap<number, 'fail' | 'warn'>; readonly starts: readonly number[] } {
    const severities = new Map<number, 'fail' | 'warn'>();
    const starts = new Set<number>();
    for (const one of pinned) {
      rangesOf(one).forEach(([from, to], nth) => {
        starts.add(from);
        const until = one.places[nth]?.by === 'call' ? from + 1 : to;
        for (let at = from; at < until; at += 1)
          if (severities.get(at) !== 'fail') severities.set(at, one.finding.severity);
      });
    }
    return { severities, starts: [...starts].sort((a, b) => a - b) };
  }
}

function prefixOf({ steps }: ExplainedAttempt, turn: number): number | null {
  const length = steps.filter(({ kind }) => kind === 'model_call')[turn]?.prompt_prefix_len;
  return typeof length === 'number' ? length : null;
}
