import type { Broker } from '../../broker/port.ts';
import { decodeLeaseRecord } from '../log/decode-lease-record.ts';

/** Where whoever grants is reached, as ready.leases says; null: nobody has claimed it yet. */
export type OwnerUrl = () => Promise<string | null>;

const READ_BYTES = 4 * 2 ** 20;

/** The first of the highest claim is in force; each call reads on from where the last one ended. Only claims are decoded. */
export function createOwnerUrl(broker: Pick<Broker, 'bounds' | 'read'>, topic: string): OwnerUrl {
  let position = 0;
  let owner: { readonly claim: number; readonly url: string } | null = null;
  let reading: Promise<void> | null = null;

  const readOn = async (): Promise<void> => {
    const { start, end } = await broker.bounds(topic, 0);
    position = Math.max(position, start);
    while (position < end) {
      const records = await broker.read(topic, 0, position, { maxBytes: READ_BYTES, maxWaitMs: 0 });
      const last = records.at(-1);
      if (last === undefined) return;
      position = last.offset + 1;
      for (const { value, headers, offset } of records) {
        if (value === null || headers.kind !== 'claim') continue;
        const record = decodeLeaseRecord(value, { topic, offset });
        if (record.kind === 'claim' && record.claim > (owner?.claim ?? 0))
          owner = { claim: record.claim, url: record.url };
      }
    }
  };

  return async function ownerUrl() {
    reading ??= readOn().finally(() => {
      reading = null;
    });
    await reading;
    return owner === null || owner.url === '' ? null : owner.url;
  };
}
