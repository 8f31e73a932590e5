import type { OutRecord } from '../../processors/model/effects.ts';
import { type RetryRequestInit, retryRequestSchema } from '../../schemas/generated/retry-request.ts';
import { type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { Transaction } from '../broker/port.ts';
import type { TopicNames } from '../config/topics.ts';
import type { Codecs } from '../registry/codecs.ts';

/** Effects as records of the output topics. Subjects are `<topic>-value`, Confluent's own naming. */
export type EncodeRecords = (records: readonly OutRecord[]) => Transaction['records'];

export async function createEncodeRecords(codecs: Codecs, topics: TopicNames): Promise<EncodeRecords> {
  const names = { ready: topics.ready, held: topics.held, rejected: topics.rejected };
  const trajectoryOf = {
    ready: await codecs.encoderOf<TrajectoryInit>(`${topics.ready}-value`, trajectorySchema),
    held: await codecs.encoderOf<TrajectoryInit>(`${topics.held}-value`, trajectorySchema),
    rejected: await codecs.encoderOf<TrajectoryInit>(`${topics.rejected}-value`, trajectorySchema),
  };
  const retryOf = await codecs.encoderOf<RetryRequestInit>(`${topics.retries}-value`, retryRequestSchema);

  return function encodeRecords(records) {
    return records.map((out) => {
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
        return { topic: topics.deadLetter, record: { key, value, headers: { ...headers, ...why }, partition: 0 } };
      }
      const { trajectory } = out;
      return {
        topic: names[out.topic],
        record: {
          key: out.key,
          value: trajectoryOf[out.topic](trajectory),
          headers: headersOf(trajectory),
          partition: 0,
        },
      };
    });
  };
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
  return headers;
}
