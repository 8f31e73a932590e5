import { useEffect } from 'preact/hooks';
import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import { Table } from '../../parts/table.tsx';
import { CallCard } from './call-card.tsx';
import { FindingNote } from './finding-note.tsx';
import type { PinnedFinding } from './pinned-findings.ts';
import { StepCard } from './step-card.tsx';
import { storyItems } from './story-items.ts';
import type { Pieces } from './use-pieces.ts';
import type { ViewerPlace } from './viewer-place.ts';

interface StoryViewProps {
  readonly attempt: ExplainedAttempt;
  readonly pinned: readonly PinnedFinding[];
  readonly pieces: Pieces;
  readonly place: ViewerPlace;
}

/** The attempt in its order, for whoever reads it for the first time. */
export function StoryView({ attempt, pinned, pieces, place }: StoryViewProps) {
  const items = storyItems(attempt);
  const turns = items.filter(({ kind }) => kind === 'call').length;
  const elsewhere = pinned.filter(({ finding }) => finding.turn === null || finding.turn >= turns);
  useEffect(() => {
    if (place.turn === null) return;
    const card = document.getElementById(`turn-${place.turn}`);
    card?.scrollIntoView({ block: 'start' });
    card?.focus({ preventScroll: true });
  }, [place.turn, place.attempt, place.id]);
  return (
    <div class="story">
      {elsewhere.map((one, nth) => (
        <FindingNote key={nth} pinned={one} pieceOf={pieces.pieceOf} place={place} />
      ))}
      {items.map((item, nth) =>
        item.kind === 'call' ? (
          <CallCard key={nth} attempt={attempt} item={item} pinned={pinned} pieces={pieces} place={place} />
        ) : (
          <StepCard key={nth} step={item.step} />
        ),
      )}
      {items.length === 0 ? <p class="empty">No step of this attempt was taken in.</p> : null}
      <Outcome attempt={attempt} />
    </div>
  );
}

function Outcome({ attempt: { verdicts, reward_parts: parts } }: { readonly attempt: ExplainedAttempt }) {
  return (
    <>
      {verdicts.length === 0 ? null : (
        <Table
          caption="verdicts"
          columns={[
            { name: 'scorer' },
            { name: 'scorer_version', title: 'version' },
            { name: 'status' },
            { name: 'rewards' },
            { name: 'bound_to', title: 'turn' },
            { name: 'standing' },
            { name: 'report_json', title: 'report' },
          ]}
          rows={verdicts}
        />
      )}
      {parts.length === 0 ? null : (
        <Table
          caption="parts of the reward, which add up to it"
          columns={[{ name: 'name' }, { name: 'value', isNumber: true }, { name: 'from' }]}
          rows={parts.map(({ name, value, from }) => ({ name, value, from }))}
        />
      )}
    </>
  );
}
