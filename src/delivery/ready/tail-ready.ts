import type { Logger } from 'pino';
import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { Lane, LogRecord } from '../../broker/port.ts';
import type { RetryOutage } from '../../lanes/retry-outage.ts';
import { createEntryOf, entryOfUnreadable } from './entry-of.ts';
import type { ReadRecords } from './read-records.ts';
import type { RecordCache } from './record-cache.ts';

export interface TailDeps {
  readonly lane: Pick<Lane, 'read' | 'revoked'>;
  readonly start: () => Promise<number>;
  readonly readRecords: ReadRecords;
  readonly cache: RecordCache;
  readonly outage: RetryOutage;
  readonly log: Logger;
}

/** What was read of the topic, in order, and the next offset to read. */
export type Arrived = (entries: readonly ReadyEntry[], position: number) => Promise<void>;

const READ_BYTES = 4 * 2 ** 20;
/** How long a read waits for something new. */
const WAIT_MS = 5_000;

/** The ready topic from `from` on, until the lane is revoked. */
export async function tailReady(deps: TailDeps, from: number, arrived: Arrived): Promise<void> {
  const { lane, readRecords, cache, outage, log } = deps;
  const entryOf = createEntryOf();

  const entriesOf = async (records: readonly LogRecord[]): Promise<ReadyEntry[]> => {
    const shapes = await outage('reading schemas', () => readRecords(records));
    return records.flatMap((record, index) => {
      const shape = shapes[index];
      if (record.value !== null) cache.put(record.offset, record.value);
      if (shape !== undefined && !(shape instanceof Error)) return [entryOf(record, shape)];
      const entry = entryOfUnreadable(record);
      const fault = shape?.message ?? 'no value';
      log.error({ offset: record.offset, fault, run: entry?.run ?? null }, 'a ready record that cannot be read');
      return entry === null ? [] : [entry];
    });
  };

  let position = from;
  const { start, isGone } = await outage('asking for the start of ready', async () => {
    const first = await deps.start();
    return { start: first, isGone: first > position };
  });
  if (isGone) {
    log.error({ position, start }, 'ready records were deleted before they were indexed: they are not delivered');
    position = start;
  }
  while (!lane.revoked.aborted) {
    const records = await outage('reading ready', () =>
      lane.read(position, { maxBytes: READ_BYTES, maxWaitMs: WAIT_MS }),
    );
    const last = records.at(-1);
    if (last === undefined) {
      // Nothing more for now: what lies before the end may hold no record.
      if (!lane.revoked.aborted) await arrived([], position);
      continue;
    }
    const entries = await entriesOf(records);
    position = last.offset + 1;
    await arrived(entries, position);
  }
}
