import { findingWords } from '../../../../src/explain/code-words.ts';
import { sidesOf } from '../../parts/finding-sides.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import type { PieceOf } from './call-text.ts';
import { LongText } from './long-text.tsx';
import type { PinnedFinding } from './pinned-findings.ts';
import type { TokenPlace } from './token-place.ts';
import { TokenList } from './token-text.tsx';
import { type ViewerPlace, viewerHref } from './viewer-place.ts';

interface FindingNoteProps {
  readonly pinned: PinnedFinding;
  readonly pieceOf: PieceOf;
  readonly place: ViewerPlace;
  /** Text that stands above, with the place of the finding marked: it is not repeated. */
  readonly above?: string;
  /** As sidesOf has it. */
  readonly isExecutedKept?: boolean;
}

/** A finding at its place: what it says, what stands there, what was expected, and its tokens. */
export function FindingNote({
  pinned: { finding, places },
  pieceOf,
  place,
  above,
  isExecutedKept = true,
}: FindingNoteProps) {
  const { class: name, audit, severity, detail, ids, expectedIds, text, expectedText } = finding;
  const [same, after] = alike(ids, expectedIds);
  const { expected, was: there } = sidesOf(audit, name, isExecutedKept);
  const isAbove = expectedText === '' && finding.index !== null && above?.includes(text) === true;
  return (
    <section class={`finding ${severity}`} aria-label={`finding ${name}`}>
      <p>
        <span class={`badge ${severity === 'fail' ? 'bad' : 'warn'}`}>
          {severity} · {name}
        </span>{' '}
        {findingWords(name)}
        {'. '}
        <UntrustedText text={detail} /> <span class="faint">(audit: {audit})</span>
      </p>
      {ids.length + expectedIds.length === 0 ? null : (
        <dl class="sides">
          <dt>{expected}</dt>
          <dd>
            <TokenList
              ids={expectedIds}
              pieceOf={pieceOf}
              marked={(at) => at >= same && at < expectedIds.length - after}
            />
          </dd>
          <dt>{there}</dt>
          <dd>
            <TokenList ids={ids} pieceOf={pieceOf} marked={(at) => at >= same && at < ids.length - after} />
          </dd>
        </dl>
      )}
      {isAbove || (text === '' && expectedText === '') ? null : (
        <dl class="sides">
          {expectedText === '' ? null : (
            <>
              <dt>{expected}</dt>
              <dd>
                <LongText text={expectedText} label={`${name}: ${expected}`} />
              </dd>
            </>
          )}
          <dt>{there}</dt>
          <dd>
            <LongText text={text} label={`${name}: ${there}`} />
          </dd>
        </dl>
      )}
      <PlaceLinks places={places} place={place} />
    </section>
  );
}

/** Links into the token view. */
export function PlaceLinks({ places, place }: { readonly places: readonly TokenPlace[]; readonly place: ViewerPlace }) {
  if (places.length === 0) return <p class="faint">It is about no token.</p>;
  return (
    <p class="places">
      {places.map((one, nth) => (
        <a key={nth} href={viewerHref(place, { view: 'tokens', segment: one.segment, token: one.from, turn: null })}>
          <UntrustedText text={placeWords(one)} />
        </a>
      ))}
    </p>
  );
}

/** `tokens 252–253 of segment main~1` */
export function placeWords({ segment, from, to }: Pick<TokenPlace, 'segment' | 'from' | 'to'>): string {
  return `${to - from === 1 ? `token ${from}` : `tokens ${from}–${to - 1}`} of segment ${segment}`;
}

/** How many ids are the same at the start, and at the end. */
function alike(a: readonly number[], b: readonly number[]): readonly [number, number] {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  let after = 0;
  while (after < most - same && a.at(-1 - after) === b.at(-1 - after)) after += 1;
  return [same, after];
}
