import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import { isBrokenGzip } from './broken-gzip.ts';
import type { FileBytes } from './file-bytes.ts';
import { firstLines, knownBy, recordLines } from './first-lines.ts';
import type { ImportBatches } from './import-batches.ts';
import { type FileReport, type Tally, wholeFile } from './import-report.ts';
import { type DeadLetter, type ImportSink, MAX_LETTER_BYTES } from './import-sink.ts';
import type { ImportContext, Imported, Importer, Refusal } from './importer.ts';
import type { InputFile } from './input-files.ts';
import type { SourceLine } from './line-reader.ts';
import { type Found, type OpenedFile, openDocument, type ReadLine } from './open-document.ts';
import { readSidecars } from './read-sidecars.ts';
import { createWholeLetter } from './whole-letter.ts';
import { whyNotTaken } from './why-not-taken.ts';

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
  /** Files that were read as parts of other files' rollouts (absolute paths). */
  readonly parts: Set<string>;
  afterLine(): void;
}

/** Takes one file, line by line or as the one document that it is, and says what became of it. */
export async function importFile(task: FileImport): Promise<FileReport> {
  try {
    return await taken(task);
  } catch (error) {
    // It breaks before anything is told from it: most documents are shorter than what is unpacked at once.
    if (!isBrokenGzip(error)) throw error;
    const { file, tally } = task;
    const why = `broken gzip: ${error.message}`;
    tally.refused++;
    tally.tell(`${file.path}: ${why}`);
    return { path: file.path, format: null, why, lines: 0, refused: 1 };
  }
}

async function taken(task: FileImport): Promise<FileReport> {
  const { file, bytes, tally, parts } = task;
  const opened = await openDocument({ path: file.path, chunks: bytes.chunks, importer: task.importer, parts });
  const records = opened.kind === 'document' ? ofDocument(opened) : await ofLines(task, opened.chunks);
  const { found, head, rest } = records;
  const isDocument = opened.kind === 'document';
  if (found === null) return notTaken(task, records, isDocument);
  const { importer } = found;

  const context = { ...task.context, sidecars: await readSidecars(importer, file.path) };
  const mapping = importer.open(context);
  const report = { lines: 0, refused: 0 };

  async function take({ line, record }: ReadLine): Promise<void> {
    const location = isDocument ? file.path : `${file.path}:${line.number}`;
    // What no row can be made of was told at the first reading.
    if ('refused' in record && context.rows === 'unnumbered') return;
    const result =
      'refused' in record
        ? record
        : mapping.take({ value: record.value, sha256: line.sha256, location, duplicateKeys: record.duplicateKeys });
    // A line of an interleaved file may give its events with a later one.
    if (importer.interleaved !== true && 'events' in result && result.events.length === 0) return;
    report.lines++;
    tally.records++;
    await keep(line, result);
  }

  async function keep(line: SourceLine, result: Imported): Promise<void> {
    if ('refused' in result) {
      report.refused++;
      await refuse(task, line, result.refused);
      return;
    }
    const closed = closedRunOf(result.events, task.sink);
    if (closed !== null) {
      // Told, and not kept: what a deleted run had is not to come back by another way.
      report.refused++;
      tally.refused++;
      tally.tell(`${file.path}:${line.number}: ${closed}`);
    } else {
      tally.events += result.events.length;
      for (const { producer_id } of result.events) task.producers.add(producer_id);
      await task.batches.add(result.events, line.length);
    }
  }

  try {
    for (const line of head) await take(line);
    for await (const line of rest) {
      await take(line);
      task.afterLine();
    }
  } catch (error) {
    if (!isBrokenGzip(error)) throw error;
    report.refused++;
    tally.refused++;
    tally.tell(`${file.path}: broken gzip after line ${report.lines}: ${error.message}`);
  }
  for (const { line, sha256, result } of mapping.end?.() ?? []) {
    await keep({ number: line, offset: 0, bytes: null, length: 0, sha256, ended: true }, result);
  }
  return { path: file.path, format: importer.name, why: found.why, ...report };
}

function closedRunOf(events: readonly StepEventInit[], { refusal }: ImportSink): string | null {
  if (refusal === undefined) return null;
  for (const { run_id } of events) {
    const why = refusal(run_id);
    if (why !== null) return why;
  }
  return null;
}

interface Records {
  readonly found: Found | null;
  /** Read to tell what it is. */
  readonly head: readonly ReadLine[];
  readonly rest: AsyncIterable<ReadLine>;
}

function ofDocument({ found, document }: OpenedFile & { kind: 'document' }): Records {
  return { found, head: [document], rest: nothing() };
}

async function ofLines({ file, importer }: FileImport, chunks: AsyncIterable<Buffer>): Promise<Records> {
  const rest = recordLines(chunks);
  if (importer !== null) return { found: { importer, why: 'as asked' }, head: [], rest };
  const head = await firstLines(rest);
  return { found: knownBy(head, file.path), head, rest };
}

async function* nothing(): AsyncGenerator<ReadLine> {}

async function refuse({ file, sink, tally }: FileImport, line: SourceLine, refusal: Refusal): Promise<void> {
  tally.refused++;
  tally.tell(`${file.path}:${line.number}: ${refusal.message}`);
  const { number, offset, sha256, length, bytes } = line;
  const kept = length > MAX_LETTER_BYTES ? null : bytes;
  const letter: DeadLetter = { file: file.path, line: number, offset, bytes: kept, sha256, length, ...refusal };
  await sink.deadLetter(letter);
}

/** A file that no importer knows: a refusal where the user named it, a remark where it merely lies in the folder. */
async function notTaken(task: FileImport, records: Records, isDocument: boolean): Promise<FileReport> {
  const { head, rest: lines } = records;
  const { file, tally, sink } = task;
  const letter = createWholeLetter();
  for (const { line } of head) letter.add(line, isDocument);
  const { why, isBroken } = whyNotTaken(head, letter.sight(), isDocument);
  const isRefused = (file.explicit || isBroken) && head.length > 0;
  if (isRefused) for await (const { line } of lines) letter.add(line);
  tally.tell(`${file.path}: ${why}`);
  if (isRefused) {
    tally.refused++;
    await sink.deadLetter({ file: file.path, line: 0, offset: 0, ...letter.finish(), ...wholeFile(why) });
  }
  return { path: file.path, format: null, why, lines: 0, refused: isRefused ? 1 : 0 };
}
