import type { JsonObject } from './exact-number.ts';
import { detectFormat } from './importers.ts';
import type { ReadLine } from './open-document.ts';

/** Lines that are looked at before the file counts as one of no known format. */
const LINES_TO_DETECT = 20;
/** Bytes of them. */
const BYTES_TO_DETECT = 4 * 1024 * 1024;

/** Enough lines to tell the format. Reads on by hand: leaving a `for await` would close the file. */
export async function firstLines(lines: AsyncGenerator<ReadLine>): Promise<ReadLine[]> {
  const head: ReadLine[] = [];
  const seen: JsonObject[] = [];
  for (let bytes = 0; head.length < LINES_TO_DETECT && bytes < BYTES_TO_DETECT; ) {
    const next = await lines.next();
    if (next.done) break;
    head.push(next.value);
    bytes += next.value.line.length;
    if ('value' in next.value.record) seen.push(next.value.record.value);
    if (detectFormat(seen, '') !== null) break;
  }
  return head;
}
