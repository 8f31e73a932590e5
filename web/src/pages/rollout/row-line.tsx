import { finishWord } from '../../parts/finish-word.ts';
import { count } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type FlatTokens, indexOf } from './flat-tokens.ts';
import { ROW, type TokenRows } from './token-rows.ts';

interface RowLineProps {
  readonly flat: FlatTokens;
  readonly rows: TokenRows;
  readonly row: number;
  readonly prefixOf: (turn: number) => number | null;
  readonly finishOf: (turn: number) => string | null;
}

const NAMES: Readonly<Record<number, string>> = {
  [ROW.segment]: 'segment',
  [ROW.prompt]: 'prompt',
  [ROW.sampled]: 'sampled',
  [ROW.version]: 'weights',
  [ROW.rest]: 'rest',
};

/** A line between tokens: what begins below it. */
export function RowLine(props: RowLineProps) {
  const kind = props.rows.kind[props.row] ?? 0;
  return (
    <div class={`row-line line-${NAMES[kind]}`}>
      <UntrustedText text={lineText(props, kind)} />
    </div>
  );
}

function lineText({ flat, rows, row, prefixOf, finishOf }: RowLineProps, kind: number): string {
  const at = rows.at[row] ?? 0;
  const turn = rows.turn[row] ?? -1;
  const segment = flat.segments[rows.segment[row] ?? 0];
  if (segment === undefined) return '';
  const span = segment.turns.find((one) => one.turn === turn);
  const index = at >= flat.count ? segment.length : Math.min(segment.length, at - segment.from + segment.first);
  if (kind === ROW.segment) {
    const from =
      segment.parent === null
        ? ''
        : `, derived from ${segment.parent} at token ${segment.forkAt}: its first ${count(segment.first)} tokens are copies, and are shown there alone`;
    return `segment ${segment.id}: ${count(segment.length)} tokens${from}${segment.hasLogprobs ? '' : '; no logprobs were recorded'}`;
  }
  if (kind === ROW.version)
    return `weights ${flat.versions[flat.version[at] ?? -1] ?? 'unknown'} sample from token ${index} on`;
  if (kind === ROW.rest) return `after the last turn, from token ${index} on`;
  if (span === undefined) return '';
  if (kind === ROW.sampled) {
    const finish = finishOf(turn);
    const ends = finish === null ? 'the engine gave no finish reason' : `ends with ${finishWord(finish)}`;
    const heat = span.temperature === null ? '' : `; temperature ${span.temperature}`;
    return `turn ${turn} samples tokens ${span.start}–${span.end - 1} (${count(span.end - span.start)}); ${ends}${heat}; ${logprobsWords(span.logprobs_mode)}`;
  }
  const prefix = prefixOf(turn);
  const reused =
    prefix === null
      ? 'what it reuses was not recorded'
      : prefix === 0
        ? 'it reuses nothing'
        : `tokens 0–${prefix - 1} are reused`;
  const added = span.start - index;
  return `prompt of turn ${turn}: ${reused}; ${added === 0 ? 'nothing is new' : `new are tokens ${index}–${span.start - 1} (${count(added)})`}`;
}

/** What they are of, which a source may leave out though it gives them. */
function logprobsWords(mode: string): string {
  return mode === 'unknown' ? 'the mode of its logprobs was not recorded' : `mode of its logprobs: ${mode}`;
}

/** `main 252` */
export function positionWords(flat: FlatTokens, position: number): string {
  const { segment, index } = indexOf(flat, position);
  return `${segment} ${index}`;
}
