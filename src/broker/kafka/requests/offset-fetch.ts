import type { Commit } from '../../port.ts';
import { createByteWriter } from '../byte-writer.ts';
import { type KafkaRequest, throwOn } from '../send-request.ts';

/**
 * OffsetFetch, version 7, of one partition. It refuses (UNSTABLE_OFFSET_COMMIT) while a transaction that commits it is being ended;
 * the versions that kafkajs knows would answer with the commit before.
 */
export function offsetFetchRequest(group: string, topic: string, partition: number): KafkaRequest<Commit | null> {
  const body = createByteWriter()
    .compactString(group)
    .uvarint(2)
    .compactString(topic)
    .uvarint(2)
    .int32(partition)
    .tags()
    .int8(1) // stable commits only
    .tags();
  return {
    apiKey: 9,
    apiName: 'OffsetFetch',
    apiVersion: 7,
    flexible: true,
    body: [body.bytes()],
    decode(reader) {
      reader.int32();
      const [found] = reader
        .compactArray(() => {
          reader.compactString();
          const partitions = reader.compactArray(() => {
            reader.int32();
            const offset = reader.int64();
            reader.int32();
            const metadata = reader.compactString() ?? '';
            const errorCode = reader.int16();
            reader.tags();
            return { offset, metadata, errorCode };
          });
          reader.tags();
          return partitions;
        })
        .flat();
      throwOn(reader.int16());
      if (found === undefined) return null;
      throwOn(found.errorCode);
      return found.offset < 0 ? null : { offset: found.offset, metadata: found.metadata };
    },
  };
}
