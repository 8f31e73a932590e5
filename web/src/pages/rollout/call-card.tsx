import type { ExplainedAttempt, JsonRow } from '../../../../src/access/explanation.ts';
import { finishWord } from '../../parts/finish-word.ts';
import { duration } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import type { PieceOf } from './call-text.ts';
import { FindingNote, placeWords } from './finding-note.tsx';
import { isOfCharacters } from './findings.ts';
import { LongText, plainText, ShortText, type TextSpan } from './long-text.tsx';
import { type PinnedFinding, textOfCall } from './pinned-findings.ts';
import type { StoryItem } from './story-items.ts';
import { placeOfCall } from './token-place.ts';
import { ToolCallCard } from './tool-call-card.tsx';
import type { Pieces } from './use-pieces.ts';
import { type ViewerPlace, viewerHref } from './viewer-place.ts';

interface CallCardProps {
  readonly attempt: ExplainedAttempt;
  readonly item: StoryItem & { readonly kind: 'call' };
  readonly pinned: readonly PinnedFinding[];
  readonly pieces: Pieces;
  readonly place: ViewerPlace;
}

/** A turn: what the model wrote, the calls that were read out of it, what they answered, and what is wrong with it. */
export function CallCard({ attempt, item, pinned, pieces, place }: CallCardProps) {
  const { turn, step, calls } = item;
  const own = pinned.filter(({ finding }) => finding.turn === turn);
  const sampled = attempt.trajectory === null ? null : placeOfCall(attempt.trajectory, turn);
  const finish = typeof step.finish_reason === 'string' ? step.finish_reason : null;
  const spans = [
    ...calls.flatMap(({ span, name }): TextSpan[] =>
      span === null ? [] : [{ ...span, kind: 'call', title: plainText(`call of ${name}`) }],
    ),
    ...own.flatMap(spanOf),
  ];
  return (
    <article
      class={place.turn === turn ? 'turn current' : 'turn'}
      id={`turn-${turn}`}
      tabIndex={-1}
      aria-label={`turn ${turn}`}
    >
      <header>
        <h2>turn {turn}</h2>
        {finish === null ? (
          <span class="badge">no finish reason</span>
        ) : (
          <span class={`badge ${/^(?:length|abort)$/.test(finishWord(finish)) ? 'bad' : ''}`}>
            <ShortText text={`finish reason ${finishWord(finish)}`} most={60} />
          </span>
        )}
        {own.map(({ finding }, nth) => (
          <span key={nth} class={`badge ${finding.severity === 'fail' ? 'bad' : 'warn'}`}>
            {finding.class}
          </span>
        ))}
        <span class="faint">
          <UntrustedText text={factsOf(item)} />
        </span>
        {sampled === null ? (
          <span class="faint">no tokens were kept</span>
        ) : (
          <a href={viewerHref(place, { view: 'tokens', segment: sampled.segment, token: sampled.from, turn: null })}>
            <UntrustedText text={placeWords(sampled)} />
          </a>
        )}
      </header>
      <Said attempt={attempt} turn={turn} text={step.text} spans={spans} pieces={pieces} />
      {step.has_error === true ? (
        <p class="error">
          <UntrustedText
            text={[step.error_type, step.error_message].filter((part) => typeof part === 'string').join(': ')}
          />
        </p>
      ) : null}
      {own.map((one, nth) => (
        <FindingNote
          key={nth}
          pinned={one}
          pieceOf={pieces.pieceOf}
          place={place}
          above={typeof step.text === 'string' ? step.text : ''}
          isExecutedKept={calls.some(({ results }) => results.some(isExecutedKept))}
        />
      ))}
      {calls.map((call, nth) => (
        <ToolCallCard key={nth} call={call} hasText={typeof step.text === 'string'} />
      ))}
    </article>
  );
}

interface SaidProps {
  readonly attempt: ExplainedAttempt;
  readonly turn: number;
  readonly text: unknown;
  readonly spans: readonly TextSpan[];
  readonly pieces: Pieces;
}

/** The text as the source kept it, else what the ids say. */
function Said({ attempt, turn, text, spans, pieces }: SaidProps) {
  if (typeof text === 'string')
    return (
      <>
        <h3>raw text, as the model wrote it</h3>
        <LongText text={text} spans={spans} label={`raw text of turn ${turn}`} />
      </>
    );
  const decoded = decodedOf(attempt, turn, pieces.pieceOf);
  if (decoded === null)
    return (
      <p class="faint">
        The source kept no text of this turn, and no tokenizer is known that could tell it from its ids.
      </p>
    );
  return (
    <>
      <h3>
        decoded from its ids as {pieces.tokenizer?.name}
        {pieces.isRecorded ? '' : ' (assumed: the record names no tokenizer)'}; the source kept no text
      </h3>
      <LongText text={decoded} spans={spans} label={`decoded text of turn ${turn}`} />
    </>
  );
}

function isExecutedKept({ executed_arguments: executed }: JsonRow): boolean {
  return typeof executed === 'string';
}

function decodedOf(attempt: ExplainedAttempt, turn: number, pieceOf: PieceOf): string | null {
  return textOfCall(attempt, turn, pieceOf)?.text ?? null;
}

function spanOf({ finding }: PinnedFinding): TextSpan[] {
  if (finding.index === null || !isOfCharacters(finding)) return [];
  const length = Math.max(1, (finding.class === 'malformed' ? '' : finding.expectedText || finding.text).length);
  return [{ from: finding.index, to: finding.index + length, kind: finding.severity, title: finding.class }];
}

function factsOf({ step }: CallCardProps['item']): string {
  const times = [
    ['took', step.duration_us ?? step.server_e2e_us],
    ['queue', step.queue_us],
    ['prefill', step.prefill_us],
    ['decode', step.decode_us],
  ].flatMap(([name, us]) => (typeof us === 'number' ? [`${name} ${duration(us / 1000)}`] : []));
  const names = [step.model, step.replica].filter((part) => typeof part === 'string' && part !== '');
  const prefix =
    typeof step.prompt_prefix_len === 'number' && step.prompt_prefix_len > 0
      ? [`prompt reuses ${step.prompt_prefix_len} tokens`]
      : [];
  return [...names, ...times, ...prefix].join(' · ');
}
