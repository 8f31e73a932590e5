import type { LogRecord, ReadLimits } from '../port.ts';

const FIRST_SPAN = 2;
const SPAN_FACTOR = 16;
const LIMITS: ReadLimits = { maxBytes: 1 << 20, maxWaitMs: 0 };

/**
 * The offset after the last record in [start, end), or `start`. Kafka's own end counts the marker of each transaction, which nobody
 * can read: whoever waits to have read up to it would wait for ever. Looks at the last offsets, then further back each time.
 */
export async function endOfRecords(
  read: (offset: number, limits: ReadLimits) => Promise<LogRecord[]>,
  start: number,
  end: number,
): Promise<number> {
  for (let span = FIRST_SPAN; start < end; span *= SPAN_FACTOR) {
    const from = Math.max(start, end - span);
    let last = -1;
    for (let at = from; at < end; at = last + 1) {
      const below = (await read(at, LIMITS)).filter(({ offset }) => offset < end);
      const newest = below.at(-1);
      if (newest === undefined) break;
      last = newest.offset;
    }
    if (last >= 0) return last + 1;
    if (from === start) return start;
  }
  return start;
}
