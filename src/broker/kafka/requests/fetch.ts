import { createByteWriter } from '../byte-writer.ts';
import type { KafkaRequest } from '../send-request.ts';

const READ_COMMITTED = 1;

export interface Fetched {
  readonly errorCode: number;
  readonly logStart: number;
  /** Aborted transactions that reach into the records: from this offset on, until its marker, the producer's do not count. */
  readonly aborted: ReadonlyArray<{ readonly producerId: number; readonly firstOffset: number }>;
  /** Whole record batches; the last may be cut. */
  readonly records: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Fetch, version 11, of one partition: at least one batch if there is one, however large. */
export function fetchRequest(
  topic: string,
  partition: number,
  offset: number,
  limits: { readonly maxBytes: number; readonly maxWaitMs: number },
): KafkaRequest<Fetched & { readonly throttleMs: number }> {
  const body = createByteWriter()
    .int32(-1) // not a replica
    .int32(limits.maxWaitMs)
    .int32(1) // bytes to wait for
    .int32(limits.maxBytes)
    .int8(READ_COMMITTED)
    .int32(0) // no session
    .int32(-1)
    .int32(1)
    .string(topic)
    .int32(1)
    .int32(partition)
    .int32(-1) // leader's epoch unknown
    .int64(offset)
    .int64(-1)
    .int32(limits.maxBytes)
    .int32(0)
    .string('');
  return {
    apiKey: 1,
    apiName: 'Fetch',
    apiVersion: 11,
    flexible: false,
    body: [body.bytes()],
    decode(reader) {
      const throttleMs = reader.int32();
      const errorCode = reader.int16();
      reader.int32();
      const [found] = reader
        .array(() => {
          reader.string();
          return reader.array(() => {
            reader.int32();
            const code = reader.int16();
            reader.int64();
            reader.int64();
            const logStart = reader.int64();
            const aborted = reader.array(() => ({ producerId: reader.int64(), firstOffset: reader.int64() }));
            reader.int32();
            const length = reader.int32();
            return { errorCode: code, logStart, aborted, records: length > 0 ? reader.take(length) : NOTHING };
          });
        })
        .flat();
      const nothing = { errorCode, logStart: -1, aborted: [], records: NOTHING };
      return { throttleMs, ...(found === undefined || errorCode !== 0 ? nothing : found) };
    },
  };
}
