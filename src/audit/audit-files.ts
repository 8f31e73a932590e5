import { resolve } from 'node:path';
import { isBrokenGzip } from '../ingest/broken-gzip.ts';
import { openFile, openStream } from '../ingest/file-bytes.ts';
import { knownBy, recordLines } from '../ingest/first-lines.ts';
import { contextOf, type ImportOptions, importerFor, PART_OF_ANOTHER } from '../ingest/import-files.ts';
import { importPlan, type Reading } from '../ingest/import-plan.ts';
import { type InputFile, inputFiles, reasonOf } from '../ingest/input-files.ts';
import { MAX_LINE_BYTES } from '../ingest/line-reader.ts';
import { type Found, openDocument, type ReadLine } from '../ingest/open-document.ts';
import { readSidecars } from '../ingest/read-sidecars.ts';
import { type NotTaken, whyNotTaken } from '../ingest/why-not-taken.ts';
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
  const parts = new Set<string>();
  let runner: BlockRunner | null = null;
  let doneBytes = 0;

  async function read({ file, rows }: Reading): Promise<void> {
    const opened = await open(file, stdin);
    if (typeof opened === 'string') {
      await intake.drain();
      intake.refuseFile(file.path, opened);
      return;
    }
    if (parts.has(resolve(file.path))) {
      await opened.close();
      await intake.drain();
      intake.passFile(file.path, PART_OF_ANOTHER);
      return;
    }
    let context = contextOf(file, rows, mapping);
    let target: IntakeFile | null = null;
    let importer = asked;
    let passed = NOTHING_THERE;
    const start = async (found: Found): Promise<IntakeFile> => {
      importer = found.importer;
      context = { ...context, sidecars: await readSidecars(found.importer, file.path) };
      return intake.file(file.path, found.importer.name, found.why);
    };
    const run = async (to: IntakeFile, bytes: Uint8Array, place: BlockPlace) => {
      const size = bytes.length;
      runner ??= await openRunner(totalBytes >= MUCH_BYTES || (totalBytes === 0 && size >= FULL_BLOCK_BYTES));
      const isInterleaved = importer?.interleaved === true;
      const whole = { path: file.path, format: to.format, context, bytes, isInterleaved, ...place };
      await intake.take(to, runner.run(whole), runner.width);
      progress({ bytes: doneBytes + opened.read(), totalBytes, events: intake.events() });
    };
    try {
      const source = await openDocument({ path: file.path, chunks: opened.chunks, importer: asked, parts });
      if (source.kind === 'document') {
        const { found, document } = source;
        const { bytes } = document.line;
        if (bytes === null) intake.refuseFile(file.path, `a document of ${document.line.length} bytes`);
        else if (found === null) await tellNotTaken(intake, file, whyNotTaken([document], bytes, true));
        else await run(await start(found), Uint8Array.from(bytes), DOCUMENT);
      }
      const chunks = source.kind === 'document' ? none() : source.chunks;
      for await (const piece of lineBlocks(chunks, MAX_LINE_BYTES, blockBytes)) {
        stopped.throwIfAborted();
        if (piece.kind === 'overlong') {
          target?.refuse(piece.line, `a line of ${piece.length} bytes`);
          continue;
        }
        const bytes = Buffer.from(piece.bytes.buffer);
        if (target === null) {
          const head = asked === null ? await firstOf(bytes, file.path) : [];
          const found = asked === null ? knownBy(head, file.path) : { importer: asked, why: 'as asked' };
          if (found === null) {
            passed = whyNotTaken(head, bytes);
            break;
          }
          target = await start(found);
        }
        await run(target, piece.bytes, { firstLine: piece.firstLine, isDocument: false, isLast: false });
      }
      if (target !== null && importer?.interleaved) await run(target, new Uint8Array(0), END_OF_LINES);
      if (target === null && source.kind === 'lines') await tellNotTaken(intake, file, passed);
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

type BlockPlace = Pick<LineBlock, 'firstLine' | 'isDocument' | 'isLast'>;

const DOCUMENT: BlockPlace = { firstLine: 1, isDocument: true, isLast: true };
const END_OF_LINES: BlockPlace = { firstLine: 0, isDocument: false, isLast: true };

async function* none(): AsyncGenerator<Buffer> {}

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

/** The first lines of the first block, until an importer knows them. */
async function firstOf(block: Buffer, path: string): Promise<ReadLine[]> {
  const head: ReadLine[] = [];
  for await (const line of recordLines(oneChunk(block))) {
    head.push(line);
    if (head.length >= LINES_TO_DETECT || knownBy(head, path) !== null) break;
  }
  return head;
}

async function* oneChunk(block: Buffer): AsyncGenerator<Buffer> {
  yield block;
}

const NOTHING_THERE = whyNotTaken([], Buffer.alloc(0));

/** A refusal where the user named it or it is one of ours that is broken, a remark where it merely lies in the folder. */
async function tellNotTaken(intake: AuditIntake, file: InputFile, { why, isBroken }: NotTaken): Promise<void> {
  await intake.drain();
  if (isBroken || (file.explicit && why !== NOTHING_THERE.why)) intake.refuseFile(file.path, why);
  else intake.passFile(file.path, why);
}
