import { body, failure, json } from './openapi-parts.ts';

const TAKEN = '{accepted, refused_count, refused: [{index, field, expected, got, message}]}';
const event = { type: 'object', description: 'a StepEvent in snake_case, arrays unpacked, defaults left out' };
const verdict = {
  type: 'object',
  required: ['run_id', 'rollout_id', 'scorer'],
  properties: {
    run_id: { type: 'string' },
    rollout_id: { type: 'string' },
    epoch: { type: 'integer', default: 0 },
    attempt: { type: 'integer', description: 'left out: the latest that has started' },
    group_id: { type: ['string', 'null'], description: 'left out: as the rollout has it; null: it has none' },
    scorer: { type: 'string' },
    scorer_version: { type: 'string', default: '' },
    status: { type: 'string', default: 'scored', description: 'anything else has no reward' },
    reward: { type: ['number', 'null'] },
    rewards: {
      type: 'object',
      description: 'by name, instead of reward',
      additionalProperties: { type: ['number', 'null'] },
    },
    bound_to: { type: ['integer', 'null'], description: 'model call that it judges; null: the whole attempt' },
    report: { description: 'whatever the verifier says beside it' },
    event_id: { type: 'string', description: 'the same again is a duplicate; left out: a hash of the content' },
    producer_id: { type: 'string', default: 'http' },
  },
};
const many = (name: string, item: object) => ({
  schema: {
    oneOf: [
      item,
      { type: 'array', items: item },
      { type: 'object', properties: { [name]: { type: 'array', items: item } } },
    ],
  },
});
const lines = (what: string) => ({ schema: { type: 'string', description: `${what} a line` } });
const gzip = {
  name: 'content-encoding',
  in: 'header',
  required: false,
  description: 'gzip, or nothing',
  schema: { type: 'string' },
};
const answers = {
  200: json(`durable: ${TAKEN}; refused are the first 1000, all of them are in dead-letter`),
  400: { description: `not to be read, or torn: the error, and beside it ${TAKEN} for what came before` },
  413: { description: 'above limits.ingest_body; with the same beside it' },
  422: { description: 'nothing was accepted; with the same beside it' },
  429: { description: 'too many at once: again after Retry-After' },
  503: { description: 'the log cannot be reached: again after Retry-After; with the same beside it' },
  default: failure,
};

/** What producers and verifiers send. */
export const INGEST_PATHS = {
  '/v1/steps': {
    post: {
      summary: 'Step events onto the log',
      parameters: [gzip],
      requestBody: {
        required: true,
        content: {
          'application/x-ndjson': lines('an event'),
          'application/json': many('events', event),
          'application/avro': {
            schema: {
              type: 'string',
              format: 'binary',
              description: 'an object container file of StepEvent, codec null',
            },
          },
        },
      },
      responses: answers,
    },
  },
  '/v1/verdicts': {
    post: {
      summary: 'What verifiers said',
      parameters: [gzip],
      requestBody: {
        required: true,
        content: { 'application/json': many('verdicts', verdict), 'application/x-ndjson': lines('a verdict') },
      },
      responses: answers,
    },
  },
  '/v1/producers/ended': {
    post: {
      summary: 'Nothing more comes from a producer: what it left open closes',
      requestBody: body(['producer_id'], {
        producer_id: { type: 'string' },
        event_id: { type: 'string', description: 'the same again changes nothing' },
      }),
      responses: { 200: json('durable: {producer_id}'), 400: failure, default: failure },
    },
  },
};
