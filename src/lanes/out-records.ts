import type { OutRecord } from '../../processors/model/effects.ts';
import { MOST_RECORD_BYTES } from '../../processors/model/record-bytes.ts';
import { type RetryRequestInit, retryRequestSchema } from '../../schemas/generated/retry-request.ts';
import { type BlobRef, type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { NewBlob } from '../blobs/blob-store.ts';
import { segmentsBlob } from '../blobs/segments-blob.ts';
import type { Transaction } from '../broker/port.ts';
import type { TopicNames } from '../config/topics.ts';
import type { Codecs } from '../registry/codecs.ts';

/** Effects as records of the output topics. Subjects are `<topic>-value`, Confluent's own naming. */
export type EncodeRecords = (records: readonly OutRecord[]) => EncodedRecords;

export interface EncodedRecords {
  readonly records: Transaction['records'];
  /** What the records refer to: to be on disk before they can be read. */
  readonly blobs: readonly NewBlob[];
  /** Which trajectories do. */
  readonly refs: ReadonlyMap<TrajectoryInit, BlobRef>;
}

/**
 * `headers` are on each trajectory beside its own. A trajectory above MOST_RECORD_BYTES travels without its segments, which go to a blob. Where there is no blob folder none such
 * is ready (processors/decide/record-space.ts); what is rejected then goes without them, and SQL has them.
 */
export async function createEncodeRecords(
  codecs: Codecs,
  topics: TopicNames,
  hasBlobs: boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<EncodeRecords> {
  const names = { ready: topics.ready, held: topics.held, rejected: topics.rejected };
  const trajectoryOf = {
    ready: await codecs.encoderOf<TrajectoryInit>(`${topics.ready}-value`, trajectorySchema),
    held: await codecs.encoderOf<TrajectoryInit>(`${topics.held}-value`, trajectorySchema),
    rejected: await codecs.encoderOf<TrajectoryInit>(`${topics.rejected}-value`, trajectorySchema),
  };
  const retryOf = await codecs.encoderOf<RetryRequestInit>(`${topics.retries}-value`, retryRequestSchema);

  const recordOf = (out: TrajectoryOut, trajectory: TrajectoryInit): Transaction['records'][number] => ({
    topic: names[out.topic],
    record: {
      key: out.key,
      value: trajectoryOf[out.topic](trajectory),
      headers: { ...headersOf(trajectory), ...headers },
      partition: 0,
    },
  });

  return function encodeRecords(outs) {
    const blobs: NewBlob[] = [];
    const refs = new Map<TrajectoryInit, BlobRef>();

    const trajectoryRecord = (out: TrajectoryOut): Transaction['records'][number] => {
      const { trajectory } = out;
      const whole = recordOf(out, trajectory);
      if (isWithin(whole)) return whole;
      let segments_ref: BlobRef | null = null;
      if (hasBlobs) {
        const { ref, blob } = segmentsBlob(trajectory.segments);
        blobs.push(blob);
        refs.set(trajectory, ref);
        segments_ref = ref;
      }
      const light = { ...trajectory, segments: [], segments_ref };
      const record = recordOf(out, light);
      if (isWithin(record) && (hasBlobs || out.topic === 'rejected')) return record;
      if (out.topic !== 'rejected') throw new Error(`bug: ${out.key} does not fit a record, and should not be ready`);
      return recordOf(out, { ...light, ...NO_LISTS });
    };

    const records = outs.map((out) => {
      if (out.topic === 'retries')
        return { topic: topics.retries, record: { key: out.key, value: retryOf(out.retry) } };
      if (out.topic === 'dead_letter') {
        const { topic, partition, offset, fault, headers, key, value } = out.letter;
        const { stage, code, field, expected, got } = fault;
        const why = {
          topic,
          partition: String(partition),
          offset: String(offset),
          stage,
          error: code,
          field,
          expected,
          got,
        };
        // All in one partition, as it is one topic for people: what a key said is in the record and its headers.
        return {
          topic: topics.deadLetter,
          record: { key, value, headers: wellFormed({ ...headers, ...why }), partition: 0 },
        };
      }
      return trajectoryRecord(out);
    });
    return { records, blobs, refs };
  };
}

type TrajectoryOut = Extract<OutRecord, { readonly trajectory: TrajectoryInit }>;

/** What may be of any size beside the segments. */
const NO_LISTS = { turns: [], aux: [], verdicts: [], reasons: [], reward_components: {}, task_metadata: null };

/** As the broker counts (src/broker/prepared-record.ts). */
function isWithin({ record }: Transaction['records'][number]): boolean {
  let bytes = (record.value?.length ?? 0) + Buffer.byteLength(record.key ?? '');
  // Most are far from it: their headers need not be looked at.
  if (bytes * 2 < MOST_RECORD_BYTES) return true;
  for (const [name, value] of Object.entries(record.headers ?? {}))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  return bytes <= MOST_RECORD_BYTES;
}

/** What a reader can judge by without decoding. */
function headersOf(trajectory: TrajectoryInit): Record<string, string> {
  const { run_id, group_id, group_index, group_size_actual, weights_version_min, disposition } = trajectory;
  const headers: Record<string, string> = { run: run_id, disposition };
  const optional = {
    group: group_id,
    index: group_index,
    size: group_size_actual,
    weights_version: weights_version_min,
  };
  for (const [name, value] of Object.entries(optional))
    if (value !== null && value !== undefined) headers[name] = String(value);
  return wellFormed(headers);
}

/** A header is UTF-8, and an id may hold a lone surrogate: the record keeps it, its header shows U+FFFD. Else no lane could write it, ever. */
function wellFormed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.toWellFormed()]));
}
