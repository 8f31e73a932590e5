import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ExplainedAttempt, ExplainedRollout, Explanation } from '../../../../src/access/explanation.ts';
import { getJson } from '../../api/request.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { go, goWith, hrefOf, type Place, placeOf } from '../../state/place.ts';
import { DiffView } from './diff-view.tsx';
import { ExplainView } from './explain-view.tsx';
import { Glance } from './glance.tsx';
import { KeyHelp } from './key-help.tsx';
import { plainText } from './long-text.tsx';
import { pinnedFindings } from './pinned-findings.ts';
import { StoryView } from './story-view.tsx';
import { TokenView } from './token-view.tsx';
import { TokenizerNote } from './tokenizer-note.tsx';
import { troublesOf } from './troubles.ts';
import { usePieces } from './use-pieces.ts';
import { VIEWS, type View, type ViewerPlace, viewerHref } from './viewer-place.ts';
import { WhichRollout } from './which-rollout.tsx';

/** One rollout: what became of it, and four ways to look at it. */
export function RolloutViewer({ place }: { readonly place: ViewerPlace }) {
  const { id, run } = place;
  const { value, error } = useLoaded(`rollout ${run} ${id}`, (signal) =>
    getJson<Explanation>(
      `v1/rollouts/${encodeURIComponent(id)}${run === '' ? '' : `?${new URLSearchParams({ run })}`}`,
      signal,
    ),
  );
  if (error !== null)
    return (
      <>
        <ErrorNote error={error} what={plainText(`The rollout ${id}`)} />
        <p>
          <a href={hrefOf({ page: 'rollout', params: { run } })}>all rollouts</a>
        </p>
      </>
    );
  if (value === null)
    return (
      <p class="loading" aria-busy="true">
        loading …
      </p>
    );
  const rollout =
    value.rollouts.find(({ epoch }) => place.epoch === '' || String(epoch) === place.epoch) ?? value.rollouts[0];
  const attempt = rollout?.attempts.find((one) => one.attempt === place.attempt) ?? rollout?.attempts.at(-1);
  if (rollout === undefined || attempt === undefined) return <p class="empty">Nothing was recorded of it.</p>;
  return (
    <Viewed
      key={`${rollout.run_id} ${rollout.epoch} ${attempt.attempt}`}
      explanation={value}
      rollout={rollout}
      attempt={attempt}
      place={place}
    />
  );
}

interface ViewedProps {
  readonly explanation: Explanation;
  readonly rollout: ExplainedRollout;
  readonly attempt: ExplainedAttempt;
  readonly place: ViewerPlace;
}

function Viewed({ explanation, rollout, attempt, place }: ViewedProps) {
  const pieces = usePieces(
    attempt,
    `${rollout.run_id} ${place.id} ${rollout.epoch} ${attempt.attempt}`,
    place.tokenizer,
  );
  const pinned = useMemo(() => pinnedFindings(attempt, pieces.pieceOf), [attempt, pieces]);
  const troubles = useMemo(() => troublesOf(attempt, pinned), [attempt, pinned]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys(attempt, () => setHelpOpen((isOpen) => !isOpen));
  const shared = { attempt, pinned, pieces, place };
  return (
    <div class="rollout">
      <h1>
        <UntrustedText text={explanation.rollout_id} />
      </h1>
      <WhichRollout explanation={explanation} rollout={rollout} attempt={attempt} place={place} />
      {place.attempt === null || place.attempt === attempt.attempt ? null : (
        <p class="warn" role="status">
          It has no attempt {place.attempt}: attempt {attempt.attempt}, its newest, is shown.
        </p>
      )}
      <Glance attempt={attempt} troubles={troubles} place={place} />
      <nav class="views" aria-label="views of the rollout">
        {VIEWS.map((view, nth) => (
          <a key={view} href={viewerHref(place, { view })} aria-current={view === place.view ? 'page' : undefined}>
            {NAMES[view]} <small>{nth + 1}</small>
          </a>
        ))}
        <button type="button" onClick={() => setHelpOpen(!isHelpOpen)} aria-expanded={isHelpOpen}>
          keys (?)
        </button>
      </nav>
      {isHelpOpen ? <KeyHelp onClose={() => setHelpOpen(false)} /> : null}
      <TokenizerNote pieces={pieces} attempt={attempt} place={place} />
      {place.view === 'story' ? <StoryView {...shared} /> : null}
      {place.view === 'tokens' ? (
        attempt.trajectory === null ? (
          <p class="empty">There is no trajectory: the attempt is open, or no token of it was recorded.</p>
        ) : (
          <TokenView {...shared} trajectory={attempt.trajectory} />
        )
      ) : null}
      {place.view === 'explain' ? <ExplainView rollout={rollout} attempt={attempt} /> : null}
      {place.view === 'diff' ? (
        <DiffView rollout={rollout} attempt={attempt} pieceOf={pieces.pieceOf} place={place} />
      ) : null}
    </div>
  );
}

const NAMES: Readonly<Record<View, string>> = { story: 'story', tokens: 'tokens', explain: 'explain', diff: 'diff' };

/** Keys that work wherever the focus is, but for where one writes. */
function useKeys({ attempt, steps }: ExplainedAttempt, toggleHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const at = placeOf(location.hash);
      const last = steps.filter(({ kind }) => kind === 'model_call').length - 1;
      const view = VIEWS[Number(event.key) - 1];
      if (view !== undefined) goWith({ view: view === 'story' ? null : view });
      else if (event.key === '?') toggleHelp();
      else if (at.params.view === 'tokens') toGrid(event);
      else if (at.params.view === undefined) inStory(event.key, at, last);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [attempt, steps]);
}

function inStory(key: string, at: Place, last: number): void {
  const turn = at.params.turn === undefined ? -1 : Number(at.params.turn);
  if (key === ']' && turn < last) goWith({ turn: String(turn + 1) }, 'replace');
  if (key === '[' && turn > 0) goWith({ turn: String(turn - 1) }, 'replace');
  if (/^[npg]$/.test(key)) go({ page: at.page, params: { ...at.params, view: 'tokens', turn: '' } });
}

/** The grid knows where the cursor is: it gets the focus and the key. */
function toGrid(event: KeyboardEvent): void {
  if (event.key === 'g') {
    event.preventDefault();
    document.getElementById('go-to-token')?.focus();
    return;
  }
  const grid = document.querySelector<HTMLElement>('.token-grid');
  if (grid === null || grid.contains(document.activeElement) || !/^(?:[np[\]]|ArrowLeft|ArrowRight)$/.test(event.key))
    return;
  grid.focus();
  grid.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true }));
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
