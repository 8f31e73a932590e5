import { body, failure, inPath, json } from './openapi-parts.ts';

const whole = (minimum: number, description: string, maximum?: number) => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
  description,
});
const text = (description: string) => ({ type: 'string', maxLength: 200, description });
const lineage = whole(0, 'of the trainer; left out: the one in force');
const tokens = {
  type: 'object',
  description: 'what the checkpoint holds and no ack was answered for: {"<lease>": {"step", "offsets"}}',
  additionalProperties: {
    type: 'object',
    required: ['step', 'offsets'],
    properties: { step: whole(1, 'that trained it'), offsets: { type: 'array', items: whole(0, 'of an entry') } },
  },
};
const request = text('names the request: asked again it has the same answer and no effect');

const lease = (what: string, requestBody: object, answer: string) => ({
  post: {
    summary: what,
    parameters: [inPath('id')],
    requestBody,
    responses: { 200: json(answer), 400: failure, 409: failure, default: failure },
  },
});

/** Of the OpenAPI document: leases, checkpoints and schemas. */
export const DELIVERY_PATHS = {
  '/v1/leases': {
    post: {
      summary: 'A batch of ready trajectories, in ready order; or the shard of one rank of a step',
      requestBody: body(['run', 'consumer'], {
        run: text('the run'),
        consumer: text('who asks'),
        replica: text('whose batches these are, where several ask for the same; the consumer'),
        lineage,
        batch_index: whole(0, 'which batch of the replica; left out: the next, and a lost answer is not given again'),
        try: whole(0, 'one more after each "again"; 0'),
        count: whole(1, 'at most so many units', 100_000),
        least: whole(1, 'fewer are not enough; 1'),
        unit: { enum: ['group', 'rollout'], default: 'group', description: 'fixed for a run by its first lease' },
        step: whole(0, 'a step lease: one batch for all ranks'),
        dp_size: whole(1, 'ranks of the step', 65_536),
        rank: whole(0, 'whose shard this is'),
        groups: whole(1, 'units of the step, exactly; or', 100_000),
        tokens: whole(1, 'units until their tokens are so many'),
        micro_tokens: whole(1, 'tokens of a micro-batch; left out: one for each rank'),
        wait_ms: whole(0, 'how long to wait for enough; 0', 60_000),
        lease_ms: whole(100, 'how long it is good for; delivery.lease', 604_800_000),
      }),
      responses: {
        200: {
          description:
            'a batch {lease, run, lineage, batch_index, try, unit, deadline, version, shard, entries, offsets, micro_batches, trajectories}; or {lease: null, again: true}, always as JSON',
          content: {
            'application/json': { schema: { type: 'object' } },
            'application/vnd.rollstream.batch': {
              schema: {
                type: 'string',
                format: 'binary',
                description:
                  'frames, each behind its length as little-endian uint32: the batch without trajectories as JSON, then each trajectory in Confluent wire format',
              },
            },
          },
        },
        400: failure,
        404: failure,
        409: failure,
        default: failure,
      },
    },
  },
  '/v1/leases/{id}/ack': lease(
    'Trained: all of the lease, after the optimizer step',
    body(['step'], {
      lineage,
      step: whole(1, 'the optimizer step that trained it; 0 is what the run began with'),
      version: text('weights that the step made'),
      stats: {
        type: 'object',
        properties: {
          kl: { type: 'number' },
          max_logprob_diff: { type: 'number', minimum: 0 },
          clipped_share: { type: 'number', minimum: 0, maximum: 1 },
        },
      },
    }),
    '{lease, state: "trained"}; again: the same',
  ),
  '/v1/leases/{id}/release': lease(
    'Back to its place, which is the head',
    body([], { lineage, unseen: { type: 'boolean', description: 'nobody looked at it: the grant does not count' } }),
    '{lease, state: "queued"}',
  ),
  '/v1/leases/{id}/reject': lease(
    'Never to be delivered again',
    body(['reason'], { lineage, reason: { type: 'string', maxLength: 1_000 } }),
    '{lease, state: "trainer_rejected"}',
  ),
  '/v1/leases/{id}/extend': lease(
    'A later deadline, from now',
    body([], { lineage, lease_ms: whole(100, 'delivery.lease', 604_800_000) }),
    '{lease, deadline}',
  ),
  '/v1/runs/{run}/checkpoints': {
    post: {
      summary: 'Seals a step, and acks what its checkpoint holds unacked',
      parameters: [inPath('run')],
      requestBody: body(['step'], { lineage, step: whole(1, 'of the checkpoint'), tokens }),
      responses: { 200: json('{run, lineage, step, sealed: true}'), 404: failure, 409: failure, default: failure },
    },
  },
  '/v1/runs/{run}/rewind': {
    post: {
      summary: 'Back to a checkpoint: opens a new lineage',
      parameters: [inPath('run')],
      requestBody: body(['step'], {
        step: whole(0, 'of the checkpoint'),
        lineage: whole(0, 'of the checkpoint; left out: the one in force'),
        expect: whole(0, 'the lineage in force, as the trainer knows it: another one is refused'),
        request,
        tokens,
      }),
      responses: { 200: json('{run, lineage}: the new one'), 404: failure, 409: failure, default: failure },
    },
  },
  '/v1/runs/{run}/fork': {
    post: {
      summary: 'Begins a run at a checkpoint of another; they share the trajectories',
      parameters: [inPath('run')],
      requestBody: body(['run', 'step'], {
        run: text('the new run'),
        step: whole(0, 'of the checkpoint'),
        lineage: whole(0, 'of the checkpoint; left out: the one in force'),
        request,
        tokens,
      }),
      responses: { 200: json('{run, lineage: 0}'), 404: failure, 409: failure, default: failure },
    },
  },
  '/v1/runs/{run}/delivery': {
    get: {
      summary: 'Where the delivery of a run stands',
      parameters: [inPath('run')],
      responses: {
        200: json('{run, lineage, unit, checkpoints, ready_states, waiting, last: {replica: [index, try]}}'),
        404: failure,
        default: failure,
      },
    },
  },
  '/v1/schemas/{id}': {
    get: {
      summary: 'The Avro schema of an id in Confluent wire format; it never changes',
      parameters: [inPath('id', { type: 'integer', minimum: 0 })],
      responses: { 200: json('{schema}'), 404: failure, default: failure },
    },
  },
};
