import { BLOB_PATHS } from './blob-paths.ts';
import { DELIVERY_PATHS } from './delivery-paths.ts';
import { INGEST_PATHS } from './ingest-paths.ts';
import { body, failure, inPath, json, lines, query, run } from './openapi-parts.ts';
import { PAGE_PATHS } from './page-paths.ts';
import { REPLAY_PATHS } from './replay-paths.ts';
import { RUN_PATHS } from './run-paths.ts';
import { VERIFIER_RESULTS_PATHS } from './verifier-results-paths.ts';

/** The API, as it is served; a test holds it to the routes. */
export const openApi = {
  openapi: '3.1.0',
  info: { title: 'rollstream', version: '1', description: 'Audited, rewarded, trainable trajectories.' },
  security: [{}, { bearer: [] }, { session: [] }],
  paths: {
    '/healthz': { get: { summary: 'The process answers', security: [{}], responses: { 200: json('it does') } } },
    '/readyz': {
      get: {
        summary: 'The lanes are rebuilt and move',
        security: [{}],
        responses: { 200: json('they do'), 503: json('not yet, or stuck; with the reason') },
      },
    },
    '/metrics': {
      get: {
        summary: 'Prometheus metrics',
        responses: {
          200: { description: 'text exposition', content: { 'text/plain': { schema: { type: 'string' } } } },
        },
      },
    },
    '/v1/accounting': {
      get: {
        summary: 'The accounting identity, per run',
        parameters: [run],
        responses: { 200: json('as `rollstream accounting --json`'), default: failure },
      },
    },
    ...RUN_PATHS,
    '/v1/rollouts/{id}': {
      get: {
        summary: 'Everything decided about a rollout',
        parameters: [inPath('id'), run],
        responses: { 200: json('as `rollstream explain --json`'), 404: failure, default: failure },
      },
    },
    '/v1/query': {
      post: {
        summary: 'A read-only SQL statement',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['sql'],
                properties: {
                  sql: { type: 'string' },
                  params: {
                    type: 'object',
                    description:
                      'values of {name:Type} in the SQL: text, a number, a boolean, null, or a list of text or of numbers (at most 10000)',
                  },
                  format: { enum: ['json', 'jsonl', 'csv'], default: 'json' },
                },
              },
            },
          },
        },
        responses: { 200: json('an array of objects, or lines, or CSV'), 400: failure, default: failure },
      },
    },
    '/v1/named': {
      get: {
        summary: 'The queries that are shipped: what each answers, its parameters, its SQL',
        responses: { 200: json('{queries: [...]}'), default: failure },
      },
    },
    '/v1/named/{name}': {
      get: {
        summary: 'The rows of a query that is shipped; its parameters stand in the URL',
        parameters: [inPath('name'), run, query('format', 'string', 'json, jsonl or csv; json')],
        responses: { 200: json('an array of objects, or lines, or CSV'), 404: failure, default: failure },
      },
    },
    '/v1/policies': {
      post: {
        summary: 'Puts a policy in force from now on',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['policy'],
                properties: {
                  policy: { type: 'string', description: 'the document, YAML' },
                  name: { type: 'string', description: 'where it stands, for errors' },
                },
              },
            },
          },
        },
        responses: {
          200: json('{policy_id, name, taxonomy_id, before, partitions}, once it is in the log'),
          400: failure,
          default: failure,
        },
      },
    },
    '/v1/gates': {
      get: {
        summary: 'The gate of each run: its state, why, what it holds, and the window against each limit',
        parameters: [run],
        responses: { 200: json('{gates: [...]}, as `rollstream gate status --json`'), 404: failure, default: failure },
      },
    },
    '/v1/runs/{run}/gate': {
      post: {
        summary: 'Releases the gate of a run, or sets it',
        parameters: [inPath('run')],
        requestBody: body([], {
          release: { type: 'boolean', description: 'true: open, with a new window; else state is needed' },
          state: { enum: ['preflight', 'open', 'warn', 'quarantine', 'hold'], description: 'stays until a release' },
          classes: {
            type: 'array',
            items: { type: 'string' },
            description: 'finding classes, for quarantine alone',
          },
          reason: { type: 'string', description: 'kept with the change' },
        }),
        responses: {
          200: json('{run_id, state, classes, before, changed}'),
          400: failure,
          404: failure,
          default: failure,
        },
      },
    },
    ...REPLAY_PATHS,
    '/v1/ready': {
      get: {
        summary: 'Ready trajectories in ready order',
        parameters: [
          query('from', 'integer', 'offset of the ready topic to begin at'),
          query('limit', 'integer', 'at most so many (100, up to 1000)'),
          run,
          query('group', 'string', 'only this group'),
          query('wait_ms', 'integer', 'wait so long for a first one (up to 30000)'),
        ],
        responses: {
          200: {
            ...lines('a trajectory a line'),
            headers: {
              'rollstream-next': { description: 'where the next page begins', schema: { type: 'integer' } },
              'rollstream-remaining': { description: '1: there is more', schema: { type: 'integer' } },
            },
          },
          default: failure,
        },
      },
    },
    '/v1/export': {
      get: {
        summary: 'A run as the content of a file, in the order in which it was decided',
        parameters: [
          { name: 'run', in: 'query', required: true, schema: { type: 'string' } },
          query('format', 'string', 'parquet, jsonl or messages; parquet'),
          query('all', 'integer', '1: also what was not trained'),
        ],
        responses: {
          200: {
            description: 'the bytes; among lines, {left_out: …} names an attempt that the format cannot express',
            content: {
              'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
              'application/x-ndjson': { schema: { type: 'string' } },
            },
            headers: {
              'rollstream-trajectories': { description: 'how many were there to export', schema: { type: 'integer' } },
              'rollstream-without-trajectory': { description: 'superseded attempts', schema: { type: 'integer' } },
            },
          },
          404: failure,
          default: failure,
        },
      },
    },
    ...INGEST_PATHS,
    ...DELIVERY_PATHS,
    '/v1/versions': {
      post: {
        summary: 'The trainer announces weights, before engines get them',
        requestBody: body(['run', 'step', 'version'], {
          run: { type: 'string' },
          lineage: {
            type: ['integer', 'string'],
            default: '',
            description: 'the number that a rewind answered; 0 is empty text',
          },
          step: { type: 'integer', minimum: 0, description: 'rises within a lineage' },
          version: { type: 'string', description: 'name of the weights, used once in a run' },
        }),
        responses: {
          200: json('durable: {run, lineage, step, version, ordinal}; the same again is answered the same'),
          400: failure,
          409: { description: 'a name that was used, a lineage that was left, a step that went back' },
          default: failure,
        },
      },
    },
    '/v1/runs/{run}/admission': {
      post: {
        summary: 'How many rollouts may start now',
        parameters: [inPath('run')],
        requestBody: body(['count'], {
          count: { type: 'integer', minimum: 1 },
          env: { type: 'string', description: 'needed where the policy has ceilings' },
        }),
        responses: {
          200: json('{granted, capacity, running, accepted, version, why: "" | gate | lag | ceiling, expires_at}'),
          400: failure,
          default: failure,
        },
      },
    },
    '/v1/tasks': {
      get: {
        summary: 'Attempts and pass rate by task and weights version',
        parameters: [
          run,
          query('task', 'string', 'only this task'),
          query('pass', 'string', 'smallest reward that passes; 1'),
        ],
        responses: { 200: json('{tasks: [...]}, as `rollstream query --named task_difficulty`'), default: failure },
      },
    },
    ...BLOB_PATHS,
    ...VERIFIER_RESULTS_PATHS,
    ...PAGE_PATHS,
    '/v1/openapi.json': { get: { summary: 'This document', responses: { 200: json('OpenAPI') } } },
  },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'rollstream_session_<port>',
        description: 'of POST /v1/session; good for requests of our own page',
      },
    },
    responses: {
      Error: {
        description: 'what went wrong',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['error'],
              properties: {
                error: {
                  type: 'object',
                  required: ['code', 'message'],
                  properties: {
                    code: { type: 'string' },
                    message: { type: 'string' },
                    field: { type: 'string' },
                    record: {},
                    reason: { type: 'string', description: 'of what delivery refuses' },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
