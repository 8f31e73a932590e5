import type { Piece } from '../../../../src/tokenizers/pieces/piece.ts';
import { decimal, NOTHING, percent } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type FlatTokens, IN_LOSS, indexOf, SAMPLED } from './flat-tokens.ts';
import { ShortText } from './long-text.tsx';
import type { PinnedFinding } from './pinned-findings.ts';

interface TokenPanelProps {
  readonly flat: FlatTokens;
  readonly position: number;
  readonly piece: Piece | null | undefined;
  readonly finishReason: string | null;
  readonly findings: readonly PinnedFinding[];
}

/** All that is known of the token under the cursor. */
export function TokenPanel({ flat, position, piece, finishReason, findings }: TokenPanelProps) {
  const { segment, index } = indexOf(flat, position);
  const masks = flat.masks[position] ?? 0;
  const logprob = flat.logprobs[position] ?? Number.NaN;
  const known = Number.isNaN(logprob) ? null : logprob;
  const turn = flat.turn[position] ?? -1;
  const isSampled = (masks & SAMPLED) !== 0;
  return (
    <section class="token-panel" aria-label="the token" aria-live="polite">
      <h2>
        token {index}, id {flat.ids[position]}
      </h2>
      <dl>
        <dt>text</dt>
        <dd class="mono">{textOf(piece)}</dd>
        <dt>bytes</dt>
        <dd class="mono">{bytesOf(piece)}</dd>
        <dt>logprob</dt>
        <dd>
          {known === null ? (isSampled ? 'none was recorded' : `${NOTHING} (it was not sampled)`) : decimal(known, 6)}
        </dd>
        <dt>probability</dt>
        <dd>{percent(known === null ? null : Math.exp(known), 2)}</dd>
        <dt>sampled</dt>
        <dd>{isSampled ? 'yes, by the policy' : 'no, it was given'}</dd>
        <dt>in the loss</dt>
        <dd>{(masks & IN_LOSS) === 0 ? 'no' : 'yes'}</dd>
        <dt>weights</dt>
        <dd>{isSampled ? <ShortText text={flat.versions[flat.version[position] ?? -1] ?? 'unknown'} /> : NOTHING}</dd>
        <dt>turn</dt>
        <dd>{turn < 0 ? NOTHING : `${turn} (${isSampled ? 'sampled' : 'prompt'})`}</dd>
        {finishReason === null ? null : (
          <>
            <dt>turn ended</dt>
            <dd>
              <ShortText text={finishReason} />
            </dd>
          </>
        )}
        <dt>segment</dt>
        <dd>
          <UntrustedText text={segment} />
        </dd>
      </dl>
      {findings.map(({ finding }, nth) => (
        <p key={nth} class={`finding ${finding.severity}`}>
          <strong>{finding.class}</strong>: <ShortText text={finding.detail} />
        </p>
      ))}
    </section>
  );
}

/** The token that the pointer is at, in a line of its own: the panel stays with the cursor. */
export function PointedToken({ flat, position, piece }: Pick<TokenPanelProps, 'flat' | 'position' | 'piece'>) {
  const { segment, index } = indexOf(flat, position);
  const logprob = flat.logprobs[position] ?? Number.NaN;
  return (
    <p class="pointed">
      <span class="faint">under the pointer:</span> token {index} of <UntrustedText text={segment} />, id{' '}
      {flat.ids[position]}, <span class="mono">{textOf(piece)}</span>
      {Number.isNaN(logprob) ? null : `, logprob ${decimal(logprob, 4)}`}
    </p>
  );
}

function textOf(piece: Piece | null | undefined) {
  if (piece === undefined) return <span class="faint">no tokenizer is known</span>;
  if (piece === null) return <span class="bad">it has no such id</span>;
  if ('bytes' in piece) return <span class="faint">no text by itself</span>;
  return (
    <>
      <UntrustedText text={JSON.stringify(piece.text)} />
      {piece.special === true ? ' (control token)' : ''}
    </>
  );
}

function bytesOf(piece: Piece | null | undefined): string {
  if (piece === null || piece === undefined) return NOTHING;
  const hex =
    'bytes' in piece
      ? piece.bytes
      : Array.from(new TextEncoder().encode(piece.text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/..(?=.)/g, '$& ').slice(0, 300);
}
