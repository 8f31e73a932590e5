import { createByteWriter } from '../byte-writer.ts';
import { type KafkaRequest, throwOn } from '../send-request.ts';

export interface ProducerIdentity {
  readonly id: number;
  readonly epoch: number;
}

/**
 * InitProducerId, version 4: with `own`, only if the id is still this producer's (KIP-360). Versions that kafkajs knows would take
 * it back from the heir that fenced it.
 */
export function initProducerIdRequest(
  transactionalId: string | null,
  transactionTimeoutMs: number,
  own: ProducerIdentity | null,
): KafkaRequest<ProducerIdentity> {
  const body = createByteWriter()
    .compactString(transactionalId)
    .int32(transactionTimeoutMs)
    .int64(own?.id ?? -1)
    .int16(own?.epoch ?? -1)
    .tags();
  return {
    apiKey: 22,
    apiName: 'InitProducerId',
    apiVersion: 4,
    flexible: true,
    body: [body.bytes()],
    decode(reader) {
      reader.int32();
      throwOn(reader.int16());
      return { id: reader.int64(), epoch: reader.int16() };
    },
  };
}
