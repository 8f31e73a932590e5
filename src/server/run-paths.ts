import { body, failure, inPath, json } from './openapi-parts.ts';

const quota = {
  events_per_second: { type: ['number', 'null'], description: 'null, or left out: limits.run_events_per_second' },
  in_flight_bytes: { type: ['integer', 'null'], description: 'null, or left out: limits.run_in_flight' },
};
const summary = json('the run, as in GET /v1/runs');

/** Paths of runs as a whole. */
export const RUN_PATHS = {
  '/v1/runs': {
    get: {
      summary: 'The runs: what was said of each, and what it has',
      responses: { 200: json('{runs: [...]}'), default: failure },
    },
    post: {
      summary: 'Declares a run; a name that was deleted is taken again by this alone',
      requestBody: body(['run_id'], {
        run_id: { type: 'string', maxLength: 200 },
        purpose: { enum: ['train', 'eval', 'synthesis', null], description: 'said for people; events carry their own' },
        note: { type: 'string', maxLength: 2000 },
        quota: { type: 'object', properties: quota },
      }),
      responses: { 200: summary, 400: failure, 409: { description: 'it is there already' }, default: failure },
    },
  },
  '/v1/runs/{run}': {
    delete: {
      summary: 'Removes a run with its data',
      parameters: [inPath('run')],
      requestBody: body(['confirm'], {
        confirm: { type: 'string', description: 'the name of the run' },
        force: { type: 'boolean', description: 'also while attempts are open or leases out' },
      }),
      responses: {
        200: json('{run_id, state: deleted, removed: rows by table, stays: what is still there, and until when}'),
        400: failure,
        404: failure,
        409: { description: 'it is in use, and by what' },
        default: failure,
      },
    },
  },
  '/v1/runs/{run}/archive': {
    post: {
      summary: 'Takes no new events, and gives out no leases, from here on',
      parameters: [inPath('run')],
      responses: { 200: summary, 404: failure, default: failure },
    },
  },
  '/v1/runs/{run}/unarchive': {
    post: {
      summary: 'Opens an archived run again',
      parameters: [inPath('run')],
      responses: { 200: summary, 404: failure, 409: { description: 'it was deleted' }, default: failure },
    },
  },
  '/v1/runs/{run}/quota': {
    put: {
      summary: 'What a run may send, in place of what is configured',
      parameters: [inPath('run')],
      requestBody: body([], quota),
      responses: { 200: summary, 400: failure, 404: failure, default: failure },
    },
  },
};
