import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import type { Piece } from '../../../../src/tokenizers/pieces/piece.ts';
import { getJson, postJson, RequestFailed } from '../../api/request.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import type { PieceOf } from './call-text.ts';
import { findingsOf } from './findings.ts';

export interface Tokenizer {
  readonly sha256: string;
  readonly name: string;
}

/** What the ids of an attempt stand for, as far as anybody here knows. */
export interface Pieces {
  /** null: no tokenizer is known; ids stand alone. */
  readonly tokenizer: Tokenizer | null;
  /** The record names it; false: it was assumed. */
  readonly isRecorded: boolean;
  /** That the record names; null: none. */
  readonly recorded: string | null;
  /** To choose from, where the record names none. */
  readonly known: readonly Tokenizer[];
  readonly pieceOf: PieceOf;
}

/** As docs/http.md has it of `POST /v1/pieces`. */
interface PiecesAnswer {
  readonly tokenizer: Tokenizer | null;
  readonly is_recorded: boolean;
  readonly pieces: Readonly<Record<string, Piece | null>>;
}

const NONE: Pieces = { tokenizer: null, isRecorded: false, recorded: null, known: [], pieceOf: () => undefined };

/** `assumed`: hash of a tokenizer, `none`, or empty: the first that is known, where the record names none. */
export function usePieces(attempt: ExplainedAttempt | null, key: string, assumed: string): Pieces {
  const { value } = useLoaded(`pieces ${key} ${assumed}`, (signal) =>
    attempt === null ? Promise.resolve(NONE) : piecesOf(attempt, assumed, signal),
  );
  return value ?? NONE;
}

async function piecesOf(attempt: ExplainedAttempt, assumed: string, signal: AbortSignal): Promise<Pieces> {
  const recorded = attempt.trajectory?.tokenizer_sha256 ?? startedWith(attempt);
  const known = recorded === null ? await knownTokenizers(signal) : [];
  const taken = recorded ?? (assumed === 'none' ? null : assumed === '' ? (known[0]?.sha256 ?? null) : assumed);
  if (taken === null) return { ...NONE, known };
  const ids = [...idsOf(attempt)];
  if (ids.length === 0) return { ...NONE, recorded, known };
  const question =
    recorded === null ? { tokenizer_sha256: null, assumed_sha256: taken } : { tokenizer_sha256: recorded };
  const answer = await postJson<PiecesAnswer>('v1/pieces', { ...question, ids }, signal).catch(nothingOnServer);
  if (answer === null) return { ...NONE, recorded, known };
  const { tokenizer, is_recorded: isRecorded, pieces } = answer;
  return { tokenizer, isRecorded, recorded, known, pieceOf: (id) => pieces[String(id)] };
}

async function knownTokenizers(signal: AbortSignal): Promise<readonly Tokenizer[]> {
  const answer = await getJson<{ tokenizers: Tokenizer[] }>('v1/tokenizers', signal).catch(nothingOnServer);
  return answer?.tokenizers ?? [];
}

/** A server that knows no tokenizers is no error: ids say all that was recorded. */
function nothingOnServer(error: unknown): null {
  if (error instanceof RequestFailed) return null;
  throw error;
}

function startedWith({ steps }: ExplainedAttempt): string | null {
  const named = steps.find(({ kind }) => kind === 'start')?.tokenizer_sha256;
  return typeof named === 'string' && named !== '' ? named : null;
}

function idsOf(attempt: ExplainedAttempt): Set<number> {
  const ids = new Set<number>();
  for (const { token_ids } of attempt.trajectory?.segments ?? []) for (const id of token_ids) ids.add(id);
  for (const finding of findingsOf(attempt)) for (const id of [...finding.ids, ...finding.expectedIds]) ids.add(id);
  return ids;
}
