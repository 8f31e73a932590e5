import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { textOfCall } from './pinned-findings.ts';
import type { Pieces } from './use-pieces.ts';
import type { ViewerPlace } from './viewer-place.ts';

interface TokenizerNoteProps {
  readonly pieces: Pieces;
  readonly attempt: ExplainedAttempt;
  readonly place: ViewerPlace;
}

/** Where the texts of tokens come from, and whether they fit what was recorded. Nothing is said where there are no tokens. */
export function TokenizerNote({ pieces, attempt, place }: TokenizerNoteProps) {
  const { tokenizer, isRecorded, recorded, known } = pieces;
  const hasTokens = (attempt.trajectory?.segments ?? []).some(({ token_ids }) => token_ids.length > 0);
  if (!hasTokens || place.view === 'explain') return null;
  if (recorded !== null)
    return (
      <p class="note">
        {tokenizer === null ? (
          <UntrustedText
            text={`Ids alone: the record names the tokenizer ${recorded.slice(0, 12)}…, which is not known here.`}
          />
        ) : (
          <UntrustedText
            text={`Texts of tokens as ${tokenizer.name}${isRecorded ? ', the tokenizer that the record names' : ''}.`}
          />
        )}
      </p>
    );
  if (known.length === 0) return <p class="note">Ids alone: the record names no tokenizer, and none is known here.</p>;
  const { fits, compared } = fitOf(attempt, pieces);
  return (
    <p class="note">
      <label>
        texts of tokens as{' '}
        <select
          value={place.tokenizer === 'none' ? 'none' : (tokenizer?.sha256 ?? '')}
          onChange={(event) => goWith({ tokenizer: event.currentTarget.value }, 'replace')}
        >
          {known.map(({ sha256, name }) => (
            <option key={sha256} value={sha256}>
              {name}
            </option>
          ))}
          <option value="none">ids alone</option>
        </select>
      </label>
      {tokenizer === null ? null : (
        <>
          {' '}
          <strong>That is assumed: the record names no tokenizer.</strong>{' '}
          {compared === 0 ? (
            'The record has no text to compare with.'
          ) : (
            <span class={fits === compared ? '' : 'bad'}>{`Of ${compared} recorded texts ${fits} say the same.`}</span>
          )}
        </>
      )}
    </p>
  );
}

function fitOf(
  attempt: ExplainedAttempt,
  { pieceOf, tokenizer }: Pieces,
): { readonly fits: number; readonly compared: number } {
  let [fits, compared] = [0, 0];
  if (tokenizer === null) return { fits, compared };
  attempt.steps
    .filter(({ kind }) => kind === 'model_call')
    .forEach(({ text }, turn) => {
      const decoded = typeof text === 'string' && text !== '' ? textOfCall(attempt, turn, pieceOf) : null;
      if (decoded === null || typeof text !== 'string') return;
      compared += 1;
      if (decoded.text.startsWith(text)) fits += 1;
    });
  return { fits, compared };
}
