import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import { codeWords, findingWords } from '../../../../src/explain/code-words.ts';
import { finishWord } from '../../parts/finish-word.ts';
import type { PinnedFinding } from './pinned-findings.ts';
import { textOrEmpty } from './text-or-empty.ts';
import { placeOfCall, placeOfEnd, type TokenPlace } from './token-place.ts';

/** One thing that went wrong, or that the attempt was judged by, and where. */
export interface Trouble {
  readonly what: string;
  /** Text of the source beside it; empty: none. */
  readonly detail: string;
  /** null: no token is to blame, as where a verifier failed. */
  readonly place: TokenPlace | null;
  readonly turn: number | null;
}

/** What to look at first, in one list: findings that fail, errors, the engine's and the loop's last word, the verifier's. */
export function troublesOf(attempt: ExplainedAttempt, pinned: readonly PinnedFinding[]): Trouble[] {
  const { decision } = attempt;
  // The one that decided is read first; of what trains, a warning is all that there is to say.
  const rank = ({ finding }: PinnedFinding): number => (finding.class === decision?.why[0] ? 0 : 1);
  const found = pinned
    .toSorted((a, b) => rank(a) - rank(b))
    .filter(
      ({ finding }) =>
        finding.severity === 'fail' ||
        decision?.in_loss === true ||
        decision?.why.includes(finding.class) === true ||
        finding.audit === 'tools',
    )
    .map(({ finding, places }) => ({
      what: `${findingWords(finding.class)} (${finding.class})`,
      detail: finding.detail,
      place: places[0] ?? null,
      turn: finding.turn,
    }));
  const others = [
    ...toolTroubles(attempt),
    ...engineTroubles(attempt),
    ...loopTroubles(attempt),
    ...verifierTroubles(attempt),
  ];
  return [...found, ...others];
}

function toolTroubles({ steps, trajectory }: ExplainedAttempt): Trouble[] {
  return steps
    .filter(({ kind, has_error }) => kind === 'tool_result' && has_error === true)
    .map((step) => {
      const turn = typeof step.tool_turn === 'number' ? step.tool_turn : null;
      return {
        what: `${textOrEmpty(step.tool_name) || 'a tool'} failed (${textOrEmpty(step.error_type) || textOrEmpty(step.status)})`,
        detail: textOrEmpty(step.error_message),
        place: turn === null || trajectory === null ? null : placeOfCall(trajectory, turn),
        turn,
      };
    });
}

/** Calls that the engine did not let end by themselves. */
function engineTroubles({ steps, trajectory }: ExplainedAttempt): Trouble[] {
  return steps
    .filter(({ kind }) => kind === 'model_call')
    .flatMap((step, turn) => {
      const word = finishWord(textOrEmpty(step.finish_reason));
      const isCut = word === 'length' || word === 'abort';
      if (!isCut && step.has_error !== true) return [];
      const call = trajectory === null ? null : placeOfCall(trajectory, turn);
      const tokens = call === null ? 0 : call.to - call.from;
      const what = isCut
        ? `the engine ${word === 'abort' ? 'aborted' : 'cut'} turn ${turn}${tokens === 0 ? '' : ` after ${tokens} tokens`} (${word})`
        : `turn ${turn} failed (${textOrEmpty(step.error_type) || 'error'})`;
      const place = call === null ? null : { ...call, from: call.to - 1, by: 'end' as const };
      return [{ what, detail: textOrEmpty(step.error_message), place, turn }];
    });
}

function loopTroubles({ decision, trajectory }: ExplainedAttempt): Trouble[] {
  if (decision === null || ['completion', 'verifier_fault'].includes(decision.category)) return [];
  if (decision.reason_code === 'termination_conflict') return [];
  const place = trajectory === null ? null : placeOfEnd(trajectory);
  return [
    {
      what: `the loop ended here: ${codeWords(decision.reason_code)} (${decision.reason_code})`,
      detail: '',
      place,
      turn: lastTurn(trajectory),
    },
  ];
}

function verifierTroubles({ decision, verdicts, trajectory }: ExplainedAttempt): Trouble[] {
  const silent = verdicts.filter(({ status }) => status !== 'scored' && status !== 'not_run');
  const failed = silent.map(({ scorer, status, bound_to }) => ({
    what: `the verifier ${scorer} gave no score (${status}); no token is to blame`,
    detail: '',
    place: null,
    turn: bound_to,
  }));
  const isZero =
    decision?.category === 'completion' && decision.reward_valid && decision.reward !== null && decision.reward <= 0;
  if (!isZero || trajectory === null) return failed;
  const turn = lastTurn(trajectory);
  const place = turn === null ? null : placeOfCall(trajectory, turn);
  return [
    ...failed,
    { what: `the verifier gave ${decision.reward}: this is the answer that it judged`, detail: '', place, turn },
  ];
}

function lastTurn(trajectory: ExplainedAttempt['trajectory']): number | null {
  return trajectory?.turns.at(-1)?.turn ?? null;
}
