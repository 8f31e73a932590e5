import { type Context, Hono } from 'hono';
import { isSha256 } from '../../blobs/blob-store.ts';
import type { KnownTokenizer, Pieces } from '../../tokenizers/pieces/open-pieces.ts';
import type { Piece } from '../../tokenizers/pieces/piece.ts';
import { createInTurns } from '../in-turns.ts';
import { bad, isWhole, jsonBody, onlyFields, optional, textOf } from '../request-value.ts';
import { createTakeTurns } from '../take-turns.ts';

export interface PiecesAnswer {
  /** null: none that is known. */
  readonly tokenizer: KnownTokenizer | null;
  /** It is the one that the record names; false: one that was assumed, or none. */
  readonly is_recorded: boolean;
  /** By id, each once; null: there is no such id, or no tokenizer. */
  readonly pieces: Readonly<Record<string, Piece | null>>;
}

const MOST_IDS = 300_000;
const MOST_ID = 2 ** 32 - 1;
/** Requests: one of the most ids takes a second and some 30 MB, and reading it alone keeps all others from being heard. */
const LIMITS = { atOnce: 1, waiting: 200, what: 'requests for pieces' };
/** Of those that are answered without a pause for others: some milliseconds. */
const IDS_AT_ONCE = 5_000;

/**
 * `POST /v1/pieces {tokenizer_sha256, ids, assumed_sha256?}`: what ids stand for, by the tokenizer that the record names; where that
 * is null, by the one that a person takes it to be. `GET /v1/tokenizers`: which are known.
 */
export function pieceRoutes({ pieces }: { readonly pieces: Pick<Pieces, 'list' | 'open'> }): Hono {
  const inTurns = createInTurns();
  const takeTurns = createTakeTurns(LIMITS);
  return new Hono()
    .get('/tokenizers', async (c) => c.json({ tokenizers: await pieces.list() }))
    .post('/pieces', (c) => takeTurns(c.req.raw.signal, () => answer(c)));

  async function answer(c: Context): Promise<Response> {
    const body = await jsonBody(c);
    onlyFields(body, ['tokenizer_sha256', 'ids', 'assumed_sha256']);
    const recorded = optional(body, 'tokenizer_sha256', textOf);
    const assumed = optional(body, 'assumed_sha256', sha256Of);
    if (recorded !== null && assumed !== null)
      throw bad('assumed_sha256', 'assumed_sha256: only where tokenizer_sha256 is null');
    const ids = [...idsOf(body.ids)];
    const sha256 = recorded ?? assumed;
    const open = sha256 === null ? null : await pieces.open(sha256);
    const head: Omit<PiecesAnswer, 'pieces'> = {
      tokenizer: open?.tokenizer ?? null,
      is_recorded: open !== null && recorded !== null,
    };
    const memberOf = (id: number): string => `"${id}":${JSON.stringify(open?.table.pieceOf(id) ?? null)}`;
    const members: string[] = [];
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const some = ids.slice(from, from + IDS_AT_ONCE);
      members.push(await inTurns(() => some.map(memberOf).join(',')));
    }
    const text = `${JSON.stringify(head).slice(0, -1)},"pieces":{${members.join(',')}}}`;
    return c.body(text, 200, { 'content-type': 'application/json' });
  }
}

function sha256Of(body: Record<string, unknown>, field: string): string {
  const text = textOf(body, field);
  if (isSha256(text)) return text;
  throw bad(field, `${field}: 64 digits of hex in lower case are needed`);
}

function idsOf(value: unknown): Set<number> {
  if (!Array.isArray(value) || value.length > MOST_IDS)
    throw bad('ids', `ids: a list of at most ${MOST_IDS} whole numbers is needed`);
  const wrong = value.findIndex((id) => !isWhole(id, 0, MOST_ID));
  if (wrong !== -1) throw bad('ids', `ids[${wrong}]: a whole number from 0 to ${MOST_ID} is needed`);
  return new Set(value);
}
