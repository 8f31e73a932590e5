import { body, failure, json } from './openapi-parts.ts';

const session = json('{needs_token, signed_in}');
const limited = { description: 'too many wrong tokens came from this address; Retry-After says when to try again' };

/** What the web page is served with beside its data. */
export const PAGE_PATHS = {
  '/v1/session': {
    get: {
      summary: 'Whether a token is needed, and this request has one',
      security: [{}],
      responses: { 200: session, default: failure },
    },
    post: {
      summary: 'A session for the token: a cookie of 12 hours, good for requests of our own page',
      security: [{}],
      requestBody: body(['token'], { token: { type: 'string' } }),
      responses: { 200: session, 401: failure, 429: limited, default: failure },
    },
    delete: { summary: 'Takes the cookie away', security: [{}], responses: { 200: session, default: failure } },
  },
  '/v1/status': {
    get: {
      summary: 'How far the lanes of this process are',
      responses: {
        200: json(
          '{version, readiness: {ready, reason}, lanes: [{topic, partition, frontier, end, lag, open_attempts, restored}]}',
        ),
        default: failure,
      },
    },
  },
  '/v1/tokenizers': {
    get: {
      summary: 'The tokenizers whose ids can be read',
      responses: {
        200: json('{tokenizers: [{sha256, name, source: "configured" | "examples"}]}'),
        default: failure,
      },
    },
  },
  '/v1/pieces': {
    post: {
      summary: 'What token ids stand for',
      requestBody: body(['ids'], {
        tokenizer_sha256: { type: ['string', 'null'], description: 'as the record names it' },
        assumed_sha256: { type: 'string', description: 'where the record names none: the one that it is taken to be' },
        ids: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 300_000 },
      }),
      responses: {
        200: json(
          '{tokenizer: {sha256, name, source} | null, is_recorded, pieces: {"<id>": {text, special?} | {bytes, special?} | null}}',
        ),
        400: failure,
        default: failure,
      },
    },
  },
};
