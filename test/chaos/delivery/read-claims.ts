import type { Broker } from '../../../src/broker/port.ts';
import { decodeLeaseRecord } from '../../../src/delivery/log/decode-lease-record.ts';

/** Where whoever made each claim is reached, by its number: the first of a number is in force. */
export async function readClaims(broker: Broker, topic: string): Promise<Map<number, string>> {
  const claims = new Map<number, string>();
  const { start, end } = await broker.bounds(topic, 0);
  for (let position = start; position < end; ) {
    const records = await broker.read(topic, 0, position, { maxBytes: 2 ** 20, maxWaitMs: 1_000 });
    for (const { value, headers, offset } of records) {
      position = offset + 1;
      if (value === null || headers.kind !== 'claim') continue;
      const record = decodeLeaseRecord(value, { topic, offset });
      if (record.kind === 'claim' && !claims.has(record.claim)) claims.set(record.claim, record.url);
    }
    if (records.length === 0) return claims;
  }
  return claims;
}
