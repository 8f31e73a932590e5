import type { Type } from 'avsc';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { trajectoryDigest } from '../../e2e/expected.ts';
import type { Answer, Ask } from './ask.ts';

/** A trajectory as a trainer got it. */
export interface Received {
  /** run rollout attempt. */
  readonly name: string;
  /** As the producer computed it. */
  readonly digest: string;
  readonly offset: number;
  readonly unit: string;
}

export interface Batch {
  readonly lease: string;
  readonly lineage: number;
  readonly offsets: readonly number[];
  readonly microBatches: number;
  readonly received: readonly Received[];
}

interface Head {
  readonly lease: string | null;
  readonly lineage: number;
  readonly offsets: readonly number[];
  readonly micro_batches: ReadonlyArray<readonly number[]>;
  readonly entries: ReadonlyArray<{ readonly offset: number; readonly unit: string }>;
  readonly trajectories?: readonly Plain[];
}

/** As `rollstream ready --json` has it. */
interface Plain {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly reward: number | null;
  readonly segments: ReadonlyArray<{
    readonly token_ids: readonly number[];
    readonly sampled_mask: readonly number[];
    readonly logprobs: readonly number[] | null;
  }>;
}

interface Packed extends Omit<Plain, 'segments'> {
  readonly segments: ReadonlyArray<Record<'token_ids' | 'sampled_mask' | 'logprobs', Buffer>>;
}

export const PACKED = 'application/vnd.rollstream.batch';

/** Reads both forms of the answer, the packed one by the schema that the server hands out. */
export function createReadBatch(ask: Ask): (answer: Answer) => Promise<Batch | null> {
  const types = new Map<number, Type>();

  async function plainOf(record: Buffer): Promise<Plain> {
    const id = record.readUInt32BE(1);
    let type = types.get(id);
    if (type === undefined) {
      const { schema } = JSON.parse((await ask('GET', `/v1/schemas/${id}`)).body.toString());
      type = avroTypeOf(schema);
      types.set(id, type);
    }
    const packed: Packed = type.fromBuffer(record.subarray(5));
    const segments = packed.segments.map(({ token_ids: ids, sampled_mask: mask, logprobs: logs }) => ({
      token_ids: Array.from({ length: ids.length / 4 }, (_, at) => ids.readUInt32LE(4 * at)),
      sampled_mask: [...mask],
      logprobs: Array.from({ length: logs.length / 4 }, (_, at) => logs.readFloatLE(4 * at)),
    }));
    return { ...packed, segments };
  }

  return async function readBatch({ body, type }) {
    const [first = body, ...records] = type.startsWith(PACKED) ? framesOf(body) : [body];
    const head: Head = JSON.parse(first.toString());
    if (head.lease === null) return null;
    const plain = head.trajectories ?? (await Promise.all(records.map(plainOf)));
    if (plain.length !== head.entries.length) throw new Error(`${plain.length} trajectories of ${head.entries.length}`);
    const received = plain.map((one, at) => ({
      name: `${one.run_id} ${one.rollout_id} ${one.attempt}`,
      digest: one.segments
        .map((part) => trajectoryDigest(part.token_ids, part.sampled_mask, part.logprobs ?? [], one.reward))
        .join(),
      offset: head.entries[at]?.offset ?? -1,
      unit: head.entries[at]?.unit ?? '',
    }));
    const { lease, lineage, offsets } = head;
    return { lease, lineage, offsets, microBatches: head.micro_batches.length, received };
  };
}

function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at);
    frames.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return frames;
}
