import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import { type DecodedText, decodedText, type PieceOf } from './call-text.ts';
import { type Finding, findingsOf } from './findings.ts';
import { placesOf, type TokenPlace } from './token-place.ts';

export interface PinnedFinding {
  readonly finding: Finding;
  /** The one to look at first leads; empty: it is about no token. */
  readonly places: readonly TokenPlace[];
}

/** Findings with the tokens that they are about. */
export function pinnedFindings(attempt: ExplainedAttempt, pieceOf: PieceOf): PinnedFinding[] {
  const { trajectory } = attempt;
  const textOfTurn = (turn: number): DecodedText | null => comparableText(attempt, turn, pieceOf);
  return findingsOf(attempt).map((finding) => ({
    finding,
    places: trajectory === null ? [] : placesOf(finding, trajectory, textOfTurn),
  }));
}

/** What a call sampled, as text; null: some token of it has none. */
export function textOfCall(
  { trajectory }: Pick<ExplainedAttempt, 'trajectory'>,
  turn: number,
  pieceOf: PieceOf,
): DecodedText | null {
  const call = trajectory?.turns.find((one) => one.turn === turn);
  const segment = trajectory?.segments.find(({ segment_id }) => segment_id === call?.segment_id);
  if (call === undefined || segment === undefined || call.end <= call.start) return null;
  return decodedText(segment.token_ids, call.start, call.end, pieceOf);
}

/** Characters are counted in the text that the source kept: null where that is another than what the ids say. */
function comparableText(attempt: ExplainedAttempt, turn: number, pieceOf: PieceOf): DecodedText | null {
  const decoded = textOfCall(attempt, turn, pieceOf);
  const kept = attempt.steps.filter(({ kind }) => kind === 'model_call')[turn]?.text;
  if (decoded === null || typeof kept !== 'string') return decoded;
  return decoded.text.startsWith(kept) || kept.startsWith(decoded.text) ? decoded : null;
}
