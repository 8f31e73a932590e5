import { body, failure, json } from './openapi-parts.ts';

const NAMES = { scorer: { type: 'string' }, version: { type: 'string' } };

/** What verifiers answered, as the API describes it. */
export const VERIFIER_RESULTS_PATHS = {
  '/v1/verifier-results': {
    post: {
      summary: 'Keeps what a verifier answered, at most 1000 at once; the same again changes nothing',
      requestBody: body(['scorer', 'version', 'results'], {
        ...NAMES,
        results: {
          type: 'array',
          items: {
            type: 'object',
            required: ['content_hash', 'status', 'duration_ms'],
            properties: {
              content_hash: { type: 'string', description: 'SHA-256 of what it was shown, hex' },
              status: { type: 'string' },
              rewards: { type: 'object', description: 'by name; null is missing' },
              report: { type: ['string', 'null'] },
              cost: { type: ['number', 'null'] },
              duration_ms: { type: 'number' },
            },
          },
        },
      }),
      responses: { 200: json('{kept}'), 400: failure, default: failure },
    },
  },
  '/v1/verifier-results/find': {
    post: {
      summary: 'What a verifier answered before, at most 1000 at once',
      requestBody: body(['scorer', 'version', 'hashes'], {
        ...NAMES,
        hashes: { type: 'array', items: { type: 'string' } },
      }),
      responses: { 200: json('{results: [...]}'), 400: failure, default: failure },
    },
  },
} as const;
