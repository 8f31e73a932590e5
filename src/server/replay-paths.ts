import { body, failure, inPath, json } from './openapi-parts.ts';

const document = (name: string) => ({
  type: 'object',
  description: `${name} to score by, as text: {text, name?}; absent: the one that decided then`,
  required: ['text'],
  properties: { text: { type: 'string' }, name: { type: 'string' } },
});
const place = (description: string) => ({
  type: 'object',
  description: `${description}: {offset, partition?}, or {at_ms}, when it was appended`,
});
const status = json('how far it is: {replay_id, state, interrupted, chunks, chunks_done, attempts, changed, eta_s, …}');

/** Replays, as `openApi` describes them. */
export const REPLAY_PATHS = {
  '/v1/replays': {
    post: {
      summary: 'Begins a replay, or goes on with one that was cut off; it works on after the answer',
      requestBody: body(['replay_id'], {
        replay_id: { type: 'string', description: 'the same request under the same id is the same replay' },
        runs: { type: 'array', items: { type: 'string' }, description: 'none: all' },
        from: place('first record of the stretch'),
        to: place('the first record behind it'),
        where: { type: 'string', description: 'a condition on columns of live_decisions, SQL' },
        policy: document('policy'),
        taxonomy: document('taxonomy'),
        audits: { type: 'boolean', description: 'audits are made again' },
        source: { enum: ['store', 'log'], default: 'store' },
        save: { type: 'boolean', description: 'rows are written; else there is a report only' },
        emit: {
          type: 'object',
          description: '{topic?, again?, stale?: leave_out | emit, unchanged?: leave_out | emit}',
        },
        label: { type: 'string' },
        late: { enum: ['use', 'ignore'], default: 'use' },
        against: { type: 'string', description: 'a replay that was saved; absent: live' },
        with_verdicts: {
          type: 'boolean',
          description: 'verdicts that were kept for it before take the place of others',
        },
      }),
      responses: { 200: status, 400: failure, 404: failure, 503: failure, default: failure },
    },
    get: { summary: 'The replays, the newest first', responses: { 200: json('{replays: [...]}'), default: failure } },
  },
  '/v1/replays/{id}': {
    get: {
      summary: 'How far a replay is',
      parameters: [inPath('id')],
      responses: { 200: status, 404: failure, default: failure },
    },
  },
  '/v1/replays/{id}/report': {
    get: {
      summary: 'What a replay changed, once it is done',
      parameters: [inPath('id')],
      responses: { 200: json('as `rollstream replay --json`'), 404: failure, default: failure },
    },
  },
  '/v1/replays/{id}/cancel': {
    post: {
      summary: 'Ends a replay: answered when it writes nothing any more',
      parameters: [inPath('id')],
      responses: { 200: status, 404: failure, default: failure },
    },
  },
  '/v1/replays/{id}/verdicts': {
    post: {
      summary: 'Keeps verdicts for a replay that is begun afterwards',
      parameters: [inPath('id')],
      requestBody: {
        required: true,
        content: {
          'application/x-ndjson': { schema: { type: 'string', description: 'a verdict a line, at most 10000' } },
          'application/json': { schema: { type: 'object', required: ['verdicts'] } },
        },
      },
      responses: { 200: json('{kept}'), 400: failure, 409: failure, default: failure },
    },
  },
};
