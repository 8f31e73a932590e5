import type { ModelCall } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { watchOf } from '../model/attempt-watch.ts';
import type { Found } from '../model/audit-summary.ts';
import { addFinding, createFindingList } from '../model/finding-list.ts';
import type { NumbersWatch } from '../model/numbers-watch.ts';
import { type LogprobScan, scanLogprobs } from './scan-logprobs.ts';
import { isBackwards } from './version-order.ts';

/** Fewer tokens alike, or one zero at an edge, may be chance. */
const LEAST_TO_JUDGE = 16;
/** Zeros at the end of a completion that has none elsewhere; and where confident tokens round to 0, so many more than in any run. */
const PADDING = 8;
const PADDING_AMONG_ZEROS = 32;

/** Scanned once, when the call comes: its numbers do not change. */
export function watchNumbers(attempt: Attempt, call: ModelCall): void {
  const { completion_logprobs: logprobs, weight_spans: spans } = call;
  if (spans.length > 0) watchSpans(attempt, spans);
  if (logprobs === null || logprobs.length === 0) return;
  const scan = scanLogprobs(logprobs);
  if (!isSound(scan)) addScan(attempt, scan, call);
  if (call.logprobs_mode === 'processed' && isTruncated(attempt, call)) {
    const note = noteOf(attempt);
    if (note.truncated === 0) note.firstTruncated = attempt.calls - 1;
    note.truncated += 1;
  }
}

function watchSpans(attempt: Attempt, spans: ModelCall['weight_spans']): void {
  const turn = attempt.calls - 1;
  if (spans[0]?.start !== 0)
    add(
      attempt,
      'weight_spans_gap',
      'warn',
      0,
      `no version is named for the first ${spans[0]?.start} tokens of call ${turn}`,
    );
  for (let i = 1; i < spans.length; i++) {
    const [before, after] = [spans[i - 1], spans[i]];
    if (before === undefined || after === undefined || !isBackwards(before.version, after.version)) continue;
    const detail = `within call ${turn}, version ${after.version} samples after ${before.version}`;
    add(attempt, 'version_backwards', 'fail', after.start, detail);
  }
}

/** Over a part of the vocabulary the probabilities are larger than the trainer's, and their ratio is off for every token. */
function isTruncated({ start }: Attempt, call: ModelCall): boolean {
  const { top_p = null, top_k = null } = call.sampling ?? start?.sampling ?? {};
  return (top_p !== null && top_p < 1) || (top_k !== null && top_k > 0);
}

function isSound(scan: LogprobScan): boolean {
  return scan.invalid === 0 && scan.positive === 0 && !scan.isConstant && scan.tailZeros < PADDING && !isShifted(scan);
}

function addScan(attempt: Attempt, scan: LogprobScan, call: ModelCall): void {
  const { tokens, invalid, firstInvalid, positive, firstPositive, zeros, tailZeros, longestZeros } = scan;
  if (invalid > 0)
    add(
      attempt,
      'logprob_invalid',
      'fail',
      firstInvalid,
      `${invalid} of ${tokens} logprobs are no logprob of a sampled token`,
    );
  if (positive > 0)
    add(attempt, 'logprob_positive', 'fail', firstPositive, `${positive} of ${tokens} logprobs are above 0`);
  if (scan.isConstant && tokens >= LEAST_TO_JUDGE) {
    // Sampled greedily, each token is certain once the logits are processed.
    const isGreedy = scan.first === 0 && (call.sampling ?? attempt.start?.sampling)?.temperature === 0;
    add(attempt, 'logprob_constant', isGreedy ? 'warn' : 'fail', 0, `all ${tokens} logprobs are ${scan.first}`);
  } else if (tailZeros >= PADDING && zeros === tailZeros && tailZeros < tokens)
    add(
      attempt,
      'logprob_tail_padding',
      'fail',
      tokens - tailZeros,
      `the last ${tailZeros} of ${tokens} logprobs are 0, no other is`,
    );
  else if (tailZeros >= PADDING_AMONG_ZEROS && tailZeros > 2 * longestZeros && tailZeros < tokens)
    add(
      attempt,
      'logprob_tail_padding',
      'warn',
      tokens - tailZeros,
      `the last ${tailZeros} of ${tokens} logprobs are 0`,
    );
  else if (isShifted(scan)) {
    const end = scan.firstIsZero ? 'first' : 'last';
    add(
      attempt,
      'logprob_shift_suspected',
      'warn',
      scan.firstIsZero ? 0 : tokens - 1,
      `the ${end} logprob is 0, no other is: they may be of the token beside`,
    );
  }
}

function isShifted({ tokens, zeros, firstIsZero, tailZeros }: LogprobScan): boolean {
  return tokens >= LEAST_TO_JUDGE && zeros === 1 && (firstIsZero || tailZeros === 1);
}

/** `index` of the completion; kept as that of its segment, where its tokens are. */
function add(attempt: Attempt, name: string, severity: Found['severity'], index: number, detail: string): void {
  const turn = attempt.calls - 1;
  const last = attempt.turns.at(-1);
  const start = last?.turn === turn ? last.start : null;
  addFinding(noteOf(attempt).findings, {
    ...{ class: name, severity, turn, index: start === null ? null : start + index },
    detail: `${detail} (token ${index} of the completion)`,
  });
}

function noteOf(attempt: Attempt): NumbersWatch {
  const watch = watchOf(attempt);
  watch.numbers ??= { findings: createFindingList(), truncated: 0, firstTruncated: -1 };
  return watch.numbers;
}
