import type { Broker, LogRecord } from '../../broker/port.ts';

/** Where the records of a key are. */
export interface KeySpan {
  readonly first: number;
  last: number;
  records: number;
  bytes: number;
}

export interface LogStretch {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  /** Records from here on are no part of it. */
  readonly end: number;
}

const READ_BYTES = 1 << 22;

/** Records of a stretch, in order. What is behind its end is not asked for. */
export async function* readStretch(
  broker: Pick<Broker, 'read'>,
  { topic, partition, from, end }: LogStretch,
): AsyncGenerator<readonly LogRecord[]> {
  for (let at = from; at < end; ) {
    const read = await broker.read(topic, partition, at, { maxBytes: READ_BYTES, maxWaitMs: 0, before: end });
    const last = read.at(-1);
    // (What transactions left behind has offsets and no records.)
    if (last === undefined) return;
    yield last.offset < end ? read : read.filter(({ offset }) => offset < end);
    at = last.offset + 1;
  }
}

/** Spans of all keys of a stretch, without decoding a value: about 150 bytes of memory a key. */
export async function indexLog(broker: Pick<Broker, 'read'>, stretch: LogStretch): Promise<Map<string, KeySpan>> {
  const spans = new Map<string, KeySpan>();
  for await (const records of readStretch(broker, stretch))
    for (const { key, value, offset } of records) {
      if (key === null) continue;
      const unit = key.toString('latin1');
      const bytes = value?.length ?? 0;
      const span = spans.get(unit);
      if (span === undefined) spans.set(unit, { first: offset, last: offset, records: 1, bytes });
      else {
        span.last = offset;
        span.records += 1;
        span.bytes += bytes;
      }
    }
  return spans;
}

/** The first offset in [start, end) whose record was appended at `atMs` or later; `end`: there is none. Append times never fall. */
export async function offsetAtTime(
  broker: Pick<Broker, 'read'>,
  { topic, partition, from, end }: LogStretch,
  atMs: number,
): Promise<number> {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [record] = await broker.read(topic, partition, middle, { maxBytes: 1, maxWaitMs: 0 });
    if (record === undefined || record.offset >= high || record.timestampMs >= atMs) high = middle;
    else low = record.offset + 1;
  }
  return low;
}
