import type { JsonObject } from '../ingest/exact-number.ts';
import { openFile, openStream } from '../ingest/file-bytes.ts';
import { SIGHT_BYTES, whatItIs } from '../ingest/foreign-formats.ts';
import { isBrokenGzip } from '../ingest/import-file.ts';
import { contextOf, type ImportOptions, importerFor } from '../ingest/import-files.ts';
import { importPlan, type Reading } from '../ingest/import-plan.ts';
import { detectFormat } from '../ingest/importers.ts';
import { type InputFile, inputFiles, reasonOf } from '../ingest/input-files.ts';
import { MAX_LINE_BYTES, readLines } from '../ingest/line-reader.ts';
import { readRecord } from '../ingest/read-record.ts';
import type { LineBlock } from './audit-engine.ts';
import type { AuditIntake, IntakeFile } from './audit-intake.ts';
import type { BlockRunner } from './block-runner.ts';
import { lineBlocks } from './line-blocks.ts';

export interface AuditFilesDeps {
  readonly intake: AuditIntake;
  /** Called once, when the first block says whether there is much to do. */
  readonly openRunner: (isMuch: boolean) => Promise<BlockRunner>;
  readonly progress: (done: { readonly bytes: number; readonly totalBytes: number; readonly events: number }) => void;
  readonly stdin: AsyncIterable<Buffer>;
  readonly stopped: AbortSignal;
  /** Absent: what suits threads. */
  readonly blockBytes?: number;
}

/** Starting threads pays from here on. */
const MUCH_BYTES = 16 * 1024 * 1024;
/** A block that is full, of a stream whose size nobody knows. */
const FULL_BLOCK_BYTES = 4 * 1024 * 1024;
const LINES_TO_DETECT = 20;

/** Reads files, folders, patterns and `-` through the audits, in bounded memory. What is told does not depend on threads. */
export async function auditFiles(
  paths: readonly string[],
  mapping: ImportOptions,
  { intake, openRunner, progress, stdin, stopped, blockBytes }: AuditFilesDeps,
): Promise<void> {
  const asked = importerFor(mapping.format ?? 'auto');
  const files = await inputFiles(paths);
  const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  let runner: BlockRunner | null = null;
  let doneBytes = 0;

  async function read({ file, rows }: Reading): Promise<void> {
    const opened = await open(file, stdin);
    if (typeof opened === 'string') {
      await intake.drain();
      intake.refuseFile(file.path, opened);
      return;
    }
    const context = contextOf(file, rows, mapping);
    let target: IntakeFile | null = null;
    let head: Buffer = Buffer.alloc(0);
    try {
      for await (const piece of lineBlocks(opened.chunks, MAX_LINE_BYTES, blockBytes)) {
        stopped.throwIfAborted();
        if (piece.kind === 'overlong') {
          target?.refuse(piece.line, `a line of ${piece.length} bytes`);
          continue;
        }
        const bytes = Buffer.from(piece.bytes.buffer);
        if (target === null) {
          const found = asked === null ? await detect(bytes, file.path) : { importer: asked, why: 'as asked' };
          if (found === null) {
            head = bytes.subarray(0, SIGHT_BYTES);
            break;
          }
          target = intake.file(file.path, found.importer.name, found.why);
        }
        runner ??= await openRunner(totalBytes >= MUCH_BYTES || (totalBytes === 0 && bytes.length >= FULL_BLOCK_BYTES));
        const { firstLine } = piece;
        const block: LineBlock = { path: file.path, format: target.format, context, bytes: piece.bytes, firstLine };
        await intake.take(target, runner.run(block), runner.width);
        progress({ bytes: doneBytes + opened.read(), totalBytes, events: intake.events() });
      }
      if (target === null) await tellNotTaken(intake, file, head);
      const changed = await opened.changed();
      if (changed !== null) await intake.drain();
      if (changed !== null) intake.tell(`${file.path}: ${changed}`);
    } catch (error) {
      if (!isBrokenGzip(error)) throw error;
      await intake.drain();
      intake.refuseFile(file.path, `broken gzip: ${error.message}`);
    } finally {
      await opened.close();
    }
    if (rows !== 'numbered') doneBytes += opened.read();
  }

  try {
    for (const reading of importPlan(files)) await read(reading);
    await intake.settle(runner === null ? [] : await lastOf(intake, runner));
  } finally {
    await closeRunner(runner);
  }
}

/** What is under way comes first: the end of the input closes what is open. */
async function lastOf(intake: AuditIntake, runner: BlockRunner) {
  await intake.drain();
  return runner.finish();
}

async function closeRunner(runner: BlockRunner | null): Promise<void> {
  await runner?.close();
}

async function open(file: InputFile, stdin: AsyncIterable<Buffer>) {
  try {
    return file.path === '-' ? openStream(stdin) : await openFile(file.path);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return reasonOf(error);
  }
}

/** By the first lines of the first block; null: no importer knows them. */
async function detect(block: Buffer, path: string) {
  const seen: JsonObject[] = [];
  let lines = 0;
  for await (const line of readLines(oneChunk(block))) {
    const record = readRecord(line);
    if ('value' in record) seen.push(record.value);
    const found = detectFormat(seen, path);
    if (found !== null || ++lines >= LINES_TO_DETECT) return found;
  }
  return null;
}

async function* oneChunk(block: Buffer): AsyncGenerator<Buffer> {
  yield block;
}

/** A refusal where the user named it, a remark where it merely lies in the folder. */
async function tellNotTaken(intake: AuditIntake, file: InputFile, head: Buffer): Promise<void> {
  await intake.drain();
  const why = whatItIs(head);
  if (file.explicit && head.length > 0) intake.refuseFile(file.path, why);
  else intake.passFile(file.path, why);
}
