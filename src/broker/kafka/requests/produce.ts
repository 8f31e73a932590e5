import { createByteWriter } from '../byte-writer.ts';
import type { KafkaRequest } from '../send-request.ts';

export interface EncodedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly bytes: Buffer;
}

export interface ProduceAnswer {
  readonly throttleMs: number;
  readonly partitions: ReadonlyArray<{
    readonly topic: string;
    readonly partition: number;
    readonly errorCode: number;
    readonly baseOffset: number;
  }>;
}

const ALL_IN_SYNC = -1;
/** How long a leader waits for its followers. */
const REPLICATION_TIMEOUT_MS = 8_000;

/** Produce, version 7: one batch a partition. The batches are sent as they are, not copied. */
export function produceRequest(
  transactionalId: string | null,
  batches: readonly EncodedBatch[],
): KafkaRequest<ProduceAnswer> {
  const byTopic = new Map<string, EncodedBatch[]>();
  for (const batch of batches) {
    const own = byTopic.get(batch.topic);
    if (own === undefined) byTopic.set(batch.topic, [batch]);
    else own.push(batch);
  }
  const body: Buffer[] = [];
  let writer = createByteWriter()
    .string(transactionalId)
    .int16(ALL_IN_SYNC)
    .int32(REPLICATION_TIMEOUT_MS)
    .int32(byTopic.size);
  for (const [topic, own] of byTopic) {
    writer.string(topic).int32(own.length);
    for (const { partition, bytes } of own) {
      body.push(writer.int32(partition).int32(bytes.length).bytes(), bytes);
      writer = createByteWriter();
    }
  }
  return {
    apiKey: 0,
    apiName: 'Produce',
    apiVersion: 7,
    flexible: false,
    body,
    decode(reader) {
      const partitions = reader
        .array(() => {
          const topic = reader.string() ?? '';
          return reader.array(() => {
            const answer = {
              topic,
              partition: reader.int32(),
              errorCode: reader.int16(),
              baseOffset: reader.int64(),
            };
            reader.int64();
            reader.int64();
            return answer;
          });
        })
        .flat();
      return { partitions, throttleMs: reader.int32() };
    },
  };
}
