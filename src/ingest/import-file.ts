import { RollstreamError } from '../errors.ts';
import type { JsonObject } from './exact-number.ts';
import type { FileBytes } from './file-bytes.ts';
import { SIGHT_BYTES, whatItIs } from './foreign-formats.ts';
import type { ImportBatches } from './import-batches.ts';
import { type FileReport, type Tally, wholeFile } from './import-report.ts';
import { type DeadLetter, type ImportSink, MAX_LETTER_BYTES } from './import-sink.ts';
import type { ImportContext, Importer, Refusal } from './importer.ts';
import { detectFormat } from './importers.ts';
import type { InputFile } from './input-files.ts';
import { readLines, type SourceLine } from './line-reader.ts';
import { type ReadRecord, readRecord } from './read-record.ts';
import { createWholeLetter } from './whole-letter.ts';

export interface FileImport {
  readonly file: InputFile;
  readonly bytes: FileBytes;
  /** null: the file says which. */
  readonly importer: Importer | null;
  readonly context: ImportContext;
  readonly batches: ImportBatches;
  readonly sink: ImportSink;
  readonly tally: Tally;
  /** Producers of the events, for their end. */
  readonly producers: Set<string>;
  afterLine(): void;
}

/** Lines that are looked at before the file counts as one of no known format. */
const LINES_TO_DETECT = 20;
/** Bytes of them. */
const BYTES_TO_DETECT = 4 * 1024 * 1024;

interface ReadLine {
  readonly line: SourceLine;
  readonly record: ReadRecord;
}

/** Takes one file, line by line, and says what became of it. */
export async function importFile(task: FileImport): Promise<FileReport> {
  const { file, tally } = task;
  const lines = withRecords(readLines(task.bytes.chunks));
  const head = task.importer === null ? await firstLines(lines) : [];
  const found = task.importer
    ? { importer: task.importer, why: 'as asked' }
    : detectFormat(
        head.flatMap(({ record }) => ('value' in record ? [record.value] : [])),
        file.path,
      );
  if (found === null) return notTaken(task, head, lines);

  const mapped = found.importer.open(task.context);
  const report = { lines: 0, refused: 0 };

  async function take({ line, record }: ReadLine): Promise<void> {
    const location = `${file.path}:${line.number}`;
    // What no row can be made of was told at the first reading.
    if ('refused' in record && task.context.rows === 'unnumbered') return;
    const result =
      'refused' in record
        ? record
        : mapped({ value: record.value, sha256: line.sha256, location, duplicateKeys: record.duplicateKeys });
    if ('events' in result && result.events.length === 0) return;
    report.lines++;
    tally.records++;
    if ('refused' in result) {
      report.refused++;
      await refuse(task, line, result.refused);
    } else {
      tally.events += result.events.length;
      for (const { producer_id } of result.events) task.producers.add(producer_id);
      await task.batches.add(result.events, line.length);
    }
  }

  for (const line of head) await take(line);
  try {
    for await (const line of lines) {
      await take(line);
      task.afterLine();
    }
  } catch (error) {
    if (!isBrokenGzip(error)) throw error;
    report.refused++;
    tally.refused++;
    tally.tell(`${file.path}: broken gzip after line ${report.lines}: ${error.message}`);
  }
  return { path: file.path, format: found.importer.name, why: found.why, ...report };
}

async function* withRecords(lines: AsyncIterable<SourceLine>): AsyncGenerator<ReadLine> {
  for await (const line of lines) yield { line, record: readRecord(line) };
}

/** Enough lines to tell the format. Reads on by hand: leaving a `for await` would close the file. */
async function firstLines(lines: AsyncGenerator<ReadLine>): Promise<ReadLine[]> {
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

async function refuse({ file, sink, tally }: FileImport, line: SourceLine, refusal: Refusal): Promise<void> {
  tally.refused++;
  tally.tell(`${file.path}:${line.number}: ${refusal.message}`);
  const { number, offset, sha256, length, bytes } = line;
  const kept = length > MAX_LETTER_BYTES ? null : bytes;
  const letter: DeadLetter = { file: file.path, line: number, offset, bytes: kept, sha256, length, ...refusal };
  await sink.deadLetter(letter);
}

/** A file that no importer knows: a refusal where the user named it, a remark where it merely lies in the folder. */
async function notTaken(
  task: FileImport,
  head: readonly ReadLine[],
  lines: AsyncIterable<ReadLine>,
): Promise<FileReport> {
  const { file, tally, sink } = task;
  const letter = createWholeLetter();
  for (const { line } of head) letter.add(line);
  const isRefused = file.explicit && head.length > 0;
  for await (const { line } of lines) {
    if (!isRefused && letter.length() >= SIGHT_BYTES) break;
    letter.add(line);
  }
  const why = whatItIs(letter.sight());
  tally.tell(`${file.path}: ${why}`);
  if (isRefused) {
    tally.refused++;
    await sink.deadLetter({ file: file.path, line: 0, offset: 0, ...letter.finish(), ...wholeFile(why) });
  }
  return { path: file.path, format: null, why, lines: 0, refused: isRefused ? 1 : 0 };
}

/** What gunzip throws at bytes that are none, or end too soon. */
export function isBrokenGzip(error: unknown): error is Error {
  if (error instanceof RollstreamError || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('Z_');
}
