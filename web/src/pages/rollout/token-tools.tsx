import { useState } from 'preact/hooks';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { placeWords } from './finding-note.tsx';
import { type FlatTokens, missingWords, positionOf } from './flat-tokens.ts';
import { plainText } from './long-text.tsx';
import type { PinnedFinding } from './pinned-findings.ts';
import { positionWords } from './row-line.tsx';
import { BELOW, type Below } from './token-looks.ts';

interface TokenToolsProps {
  readonly flat: FlatTokens;
  readonly pinned: readonly PinnedFinding[];
  /** Positions of findings, in order. */
  readonly starts: readonly number[];
  readonly cursor: number;
  readonly below: Below;
  readonly onBelow: (below: Below) => void;
  readonly onGo: (position: number) => void;
}

/** Jumps: from finding to finding, and to a token by its index. */
export function TokenTools({ flat, pinned, starts, cursor, below, onBelow, onGo }: TokenToolsProps) {
  const [wanted, setWanted] = useState('');
  const [missed, setMissed] = useState('');
  const next = starts.find((start) => start > cursor) ?? starts[0];
  const before = starts.findLast((start) => start < cursor) ?? starts.at(-1);
  const goTo = (event: Event): void => {
    event.preventDefault();
    const [, segment = '', index = ''] = /^(?:(\S.*)\s)?\s*(\d+)$/.exec(wanted.trim()) ?? [];
    const position = index === '' ? -1 : positionOf(flat, segment, Number(index));
    setMissed(
      index === '' ? 'It takes an index, or a segment and an index.' : missingWords(flat, segment, Number(index)),
    );
    if (position < 0) return;
    setMissed('');
    onGo(position);
    document.querySelector<HTMLElement>('.token-grid')?.focus();
  };
  return (
    <div class="token-tools">
      <button type="button" disabled={before === undefined} onClick={() => onGo(before ?? cursor)}>
        previous finding (p)
      </button>
      <button type="button" disabled={next === undefined} onClick={() => onGo(next ?? cursor)}>
        next finding (n)
      </button>
      <label>
        finding{' '}
        <select
          value=""
          onChange={(event) => {
            const position = Number(event.currentTarget.value);
            event.currentTarget.value = '';
            onGo(position);
          }}
        >
          <option value="">
            {starts.length === 0 ? 'the audits found nothing at a token' : `${pinned.length} found`}
          </option>
          {pinned.flatMap(({ finding, places }, nth) =>
            places.map((place) => {
              const position = positionOf(flat, place.segment, place.from);
              return position < 0 ? null : (
                <option key={`${nth} ${position}`} value={String(position)}>
                  {plainText(`${finding.class}: ${placeWords(place)}`)}
                </option>
              );
            }),
          )}
        </select>
      </label>
      <form onSubmit={goTo}>
        <label>
          go to (g){' '}
          <input
            id="go-to-token"
            size={12}
            value={wanted}
            placeholder={plainText(positionWords(flat, cursor))}
            aria-describedby="no-such-token"
            onInput={(event) => {
              setWanted(event.currentTarget.value);
              setMissed('');
            }}
          />
        </label>{' '}
        <span id="no-such-token" class="warn" role="status">
          <UntrustedText text={missed} />
        </span>
      </form>
      <label>
        below the text{' '}
        <select
          value={below}
          onChange={(event) => onBelow(BELOW.find((name) => name === event.currentTarget.value) ?? 'id')}
        >
          {BELOW.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
