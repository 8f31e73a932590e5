import type { JsonObject } from './exact-number.ts';
import { detectFormat } from './importers.ts';
import { readLines } from './line-reader.ts';
import type { Found, ReadLine } from './open-document.ts';
import { readRecord } from './read-record.ts';

/** Lines that are looked at before the file counts as one of no known format. */
const LINES_TO_DETECT = 20;
/** Bytes of them. */
const BYTES_TO_DETECT = 4 * 1024 * 1024;

/** The lines of a file, each with its record or why it has none. */
export async function* recordLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadLine> {
  for await (const line of readLines(chunks)) yield { line, record: readRecord(line) };
}

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

/** The importer that knows the records of these lines best; null: none does. */
export function knownBy(lines: readonly ReadLine[], path: string): Found | null {
  return detectFormat(
    lines.flatMap(({ record }) => ('value' in record ? [record.value] : [])),
    path,
  );
}
