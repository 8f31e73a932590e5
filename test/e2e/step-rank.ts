import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createRandom } from '../../examples/generate/random.ts';
import { createAsk } from '../chaos/delivery/ask.ts';
import { type Batch, createReadBatch, PACKED } from '../chaos/delivery/batch.ts';

/**
 * One rank of a data-parallel job, as a process of its own: takes its shard of each step that it is told, by HTTP alone. Orders come
 * as lines on stdin, answers go as lines to stdout: {"step": 7} is answered with the shard, {"ack"}, {"seal"} and {"rewind"} when they
 * are done.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    run: { type: 'string', default: '' },
    rank: { type: 'string', default: '0' },
    dp: { type: 'string', default: '1' },
    lineage: { type: 'string', default: '0' },
  },
});
const GROUPS = 2;
/** About two trajectories: a shard has several micro-batches. */
const MICRO_TOKENS = 200;

export type Order =
  | { readonly step: number }
  | { readonly ack: string; readonly at: number }
  | { readonly seal: number }
  | { readonly rewind: number; readonly of: number; readonly request: string };

export type Reported = Batch | { readonly lineage: number };

const { run } = values;
const rank = Number(values.rank);
let lineage = Number(values.lineage);
const ask = createAsk([values.url], createRandom('one server'));
const readBatch = createReadBatch(ask);
const post = async (path: string, body: object): Promise<{ readonly lineage?: number }> =>
  JSON.parse((await ask('POST', path, body)).body.toString());

async function shardOf(step: number): Promise<Batch> {
  const of = { dp_size: Number(values.dp), rank, groups: GROUPS, micro_tokens: MICRO_TOKENS };
  const common = { run, consumer: `rank-${rank}`, lineage, wait_ms: 200 };
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask('POST', '/v1/leases', { ...common, ...of, step, try: attempt }, PACKED);
    const batch = await readBatch(answer);
    if (batch !== null) return batch;
  }
}

async function follow(order: Order): Promise<Reported> {
  if ('step' in order) return shardOf(order.step);
  if ('ack' in order) await post(`/v1/leases/${order.ack}/ack`, { lineage, step: order.at });
  else if ('seal' in order) await post(`/v1/runs/${run}/checkpoints`, { lineage, step: order.seal });
  else {
    const asked = { step: order.rewind, lineage: order.of, request: order.request };
    lineage = (await post(`/v1/runs/${run}/rewind`, asked)).lineage ?? lineage;
  }
  return { lineage };
}

for await (const line of createInterface(process.stdin)) {
  const order: Order = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await follow(order))}\n`);
}
