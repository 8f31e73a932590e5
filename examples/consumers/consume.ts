/**
 * Reads trajectories.ready with nothing of rollstream: a plain Kafka client, Avro, and the registry. A line a group.
 *
 *     npm install kafkajs avsc
 *     node consume.ts --brokers 127.0.0.1:9092 --registry http://127.0.0.1:8081/apis/ccompat/v7   (Node 22.18 or later)
 *
 * The topic has one partition: its order is the ready order. The key is the group (or the rollout that has none); the header
 * `size` says how many members left together. A line is printed once all of them are here.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import avro from 'avsc';
import { type IHeaders, Kafka, logLevel } from 'kafkajs';

/** The fields that are used here; schemas/trajectory.avsc documents all of them. */
interface Trajectory {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly rollout_loss_tokens: number;
  /** Token ids are little-endian uint32, masks a byte a token. */
  readonly segments: readonly { readonly token_ids: Buffer; readonly loss_mask: Buffer }[];
  /** Above 8 MB the segments are in a blob: `GET /v1/blobs/<sha256>` of a rollstream server has them. */
  readonly segments_ref: { readonly sha256: string } | null;
}

const { values: options } = parseArgs({
  options: {
    brokers: { type: 'string', default: '127.0.0.1:9092' },
    registry: { type: 'string', default: 'http://127.0.0.1:8081/apis/ccompat/v7' },
    topic: { type: 'string', default: 'trajectories.ready' },
    /** Consumer group: it goes on where it ended. */
    group: { type: 'string', default: 'consume-ts' },
    run: { type: 'string' },
    /** Ends after so many groups. */
    limit: { type: 'string', default: 'Infinity' },
  },
});

/** Writer schemas by id, each fetched once: an id never changes its schema. */
const schemas = new Map<number, Promise<avro.Type>>();
function schemaOf(id: number): Promise<avro.Type> {
  const known = schemas.get(id) ?? fetchSchema(id);
  schemas.set(id, known);
  return known;
}

async function fetchSchema(id: number): Promise<avro.Type> {
  const answer = await fetch(`${options.registry}/schemas/ids/${id}`);
  if (!answer.ok) throw new Error(`the registry answered ${answer.status} for schema ${id}`);
  const { schema }: { schema: string } = JSON.parse(await answer.text());
  return avro.Type.forSchema(JSON.parse(schema));
}

/** Confluent's wire format: a zero byte, the schema id as big-endian uint32, Avro. */
async function decode(value: Buffer): Promise<Trajectory> {
  if (value[0] !== 0) throw new Error(`not Confluent's wire format: it begins with ${value[0]}`);
  const type = await schemaOf(value.readUInt32BE(1));
  const trajectory: Trajectory = type.fromBuffer(value.subarray(5));
  return trajectory;
}

function rowOf({ segments, segments_ref, rollout_id, attempt, reward, advantage, rollout_loss_tokens }: Trajectory) {
  const ids = Buffer.concat(segments.map(({ token_ids }) => token_ids));
  return {
    ...{ rollout_id, attempt, reward, advantage },
    tokens: segments_ref === null ? ids.length / 4 : null,
    loss_tokens: rollout_loss_tokens,
    ids_sha256: segments_ref === null ? createHash('sha256').update(ids).digest('hex') : null,
  };
}

function header(headers: IHeaders | undefined, name: string): string | undefined {
  return headers?.[name]?.toString();
}

const kafka = new Kafka({ clientId: 'consume-ts', brokers: options.brokers.split(','), logLevel: logLevel.ERROR });
// readUncommitted false: what a worker wrote and never committed is not there.
const consumer = kafka.consumer({ groupId: options.group, readUncommitted: false });
/** Members of groups that are not whole yet: by group, then by offset (what comes twice after a rebalance is one). */
const waiting = new Map<string, Map<number, Trajectory>>();
let left = Number(options.limit);

await consumer.connect();
await consumer.subscribe({ topic: options.topic, fromBeginning: true });
await new Promise<void>((resolve, reject) => {
  process.once('SIGINT', resolve);
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  consumer
    .run({
      // Committed below, so that nothing is lost with a group that was not whole yet.
      autoCommit: false,
      async eachMessage({ topic, partition, message }) {
        if (left <= 0 || message.value === null) return;
        const run = header(message.headers, 'run');
        const offset = Number(message.offset);
        if (options.run === undefined || options.run === run) {
          const unit = String(message.key);
          const size = Number(header(message.headers, 'size') ?? 1);
          const members = waiting.get(unit) ?? new Map<number, Trajectory>();
          waiting.set(unit, members.set(offset, await decode(message.value)));
          if (members.size === size) {
            waiting.delete(unit);
            const rollouts = [...members].sort(([a], [b]) => a - b).map(([, trajectory]) => rowOf(trajectory));
            process.stdout.write(`${JSON.stringify({ unit, run, rollouts })}\n`);
            left -= 1;
          }
        }
        // A restart begins at the oldest group that is not whole.
        const oldest = Math.min(offset + 1, ...[...waiting.values()].flatMap((members) => [...members.keys()]));
        await consumer.commitOffsets([{ topic, partition, offset: String(oldest) }]);
        if (left <= 0) resolve();
      },
    })
    .catch(reject);
});
await consumer.disconnect();
