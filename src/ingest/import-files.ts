import { resolve } from 'node:path';
import type { Purpose } from '../../schemas/generated/step-event.ts';
import { RollstreamError } from '../errors.ts';
import type { JsonObject } from './exact-number.ts';
import { type FileBytes, openFile, openStream } from './file-bytes.ts';
import { createImportBatches } from './import-batches.ts';
import { importFile } from './import-file.ts';
import { importPlan, type Reading } from './import-plan.ts';
import { createTally, type FileReport, type ImportListener, type ImportReport } from './import-report.ts';
import type { ImportSink } from './import-sink.ts';
import type { ImportContext, Importer } from './importer.ts';
import { IMPORTERS, importerNamed } from './importers.ts';
import { type InputFile, inputFiles, reasonOf } from './input-files.ts';

export interface ImportOptions {
  /** Name of a format, or `auto`: told by the content of each file. */
  readonly format?: string;
  /** Default: the name of the folder that holds the file. */
  readonly runId?: string;
  /** Default: as the source says. */
  readonly env?: string;
  /** Default 0. */
  readonly epoch?: number;
  /** Default train. */
  readonly purpose?: Purpose;
  /** Default: unknown, unless the source says. */
  readonly groupSize?: number;
  /** Do not say that the source ended: more is to come. */
  readonly keepOpen?: boolean;
  /** Read and check everything, append nothing. */
  readonly dryRun?: boolean;
}

/**
 * Reads files, folders, patterns and `-` as step events into the sink, in bounded memory. What cannot be taken is told one
 * by one and goes to dead-letter; the rest goes on. Throws where nothing could be meant: a path that is not there, a format
 * nobody has heard of, a sink that fails.
 */
export async function importFiles(
  paths: readonly string[],
  options: ImportOptions,
  sink: ImportSink,
  listener: ImportListener = {},
  stdin: AsyncIterable<Buffer> = process.stdin,
): Promise<ImportReport> {
  const importer = importerFor(options.format ?? 'auto');
  const files = await inputFiles(paths);
  const target = options.dryRun ? NOWHERE : sink;
  const batches = createImportBatches(target);
  const producers = new Set<string>();
  const parts = new Set<string>();
  const tally = createTally(listener);
  const reports: FileReport[] = [];
  const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  let doneBytes = 0;

  async function read({ file, rows }: Reading): Promise<void> {
    if (parts.has(resolve(file.path))) {
      reports.push({ path: file.path, format: null, why: PART_OF_ANOTHER, lines: 0, refused: 0 });
      return;
    }
    const bytes = await open(file);
    if (bytes === null) return;
    const context = contextOf(file, rows, options);
    let toldBytes = 0;
    const progress = () => {
      toldBytes = bytes.read();
      listener.progress?.({ bytes: doneBytes + toldBytes, totalBytes, events: tally.events });
    };
    // Bytes come in chunks: told once a chunk, not once a line.
    const afterLine = () => {
      if (bytes.read() !== toldBytes) progress();
    };
    try {
      const shared = { file, bytes, importer, context, batches, tally, producers, parts };
      reports.push(await importFile({ ...shared, sink: target, afterLine }));
      const changed = await bytes.changed();
      if (changed !== null) tally.tell(`${file.path}: ${changed}`);
    } finally {
      await bytes.close();
    }
    progress();
    if (rows !== 'numbered') doneBytes += bytes.read();
  }

  async function open(file: InputFile): Promise<FileBytes | null> {
    try {
      return file.path === '-' ? openStream(stdin) : await openFile(file.path);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const why = reasonOf(error);
      tally.refused++;
      tally.tell(`${file.path}: ${why}`);
      reports.push({ path: file.path, format: null, why, lines: 0, refused: 1 });
      return null;
    }
  }

  for (const reading of importPlan(files)) await read(reading);
  await batches.flush();
  if (!options.keepOpen) for (const producer of producers) await target.sourceEnded(producer);
  return {
    records_read: tally.records,
    events: tally.events,
    refused: tally.refused,
    files: mergedReports(reports),
    messages: tally.messages,
  };
}

/** Told of a file that was read with another one. */
export const PART_OF_ANOTHER = 'read as a part of a rollout of another file';

const NOWHERE: ImportSink = {
  append: async () => {},
  deadLetter: async () => {},
  sourceEnded: async () => {},
};

/** The importer of that name; null: each file says which. */
export function importerFor(format: string): Importer | null {
  if (format === 'auto') return null;
  const importer = importerNamed(format);
  if (importer) return importer;
  const known = ['auto', ...IMPORTERS.map(({ name }) => name)].join(', ');
  throw new RollstreamError('RS_USAGE', `there is no format ${JSON.stringify(format)}; known are ${known}`);
}

/** What holds for all lines of a file. */
export function contextOf(file: InputFile, rows: Reading['rows'], options: ImportOptions): ImportContext {
  const { runId, env, epoch, purpose, groupSize } = options;
  const overrides: JsonObject = {};
  if (runId !== undefined) overrides.run_id = runId;
  if (env !== undefined) overrides.env_name = env;
  if (epoch !== undefined) overrides.epoch = epoch;
  if (purpose !== undefined) overrides.purpose = purpose;
  return {
    runId: runId ?? file.folder,
    env: env ?? null,
    epoch: epoch ?? 0,
    purpose: purpose ?? 'train',
    groupSize: groupSize ?? null,
    overrides,
    rows,
    sidecars: {},
  };
}

/** A file that was read twice is told of once. */
function mergedReports(reports: readonly FileReport[]): FileReport[] {
  const byPath = new Map<string, FileReport>();
  for (const report of reports) {
    const earlier = byPath.get(report.path);
    byPath.set(
      report.path,
      earlier ? { ...report, lines: earlier.lines + report.lines, refused: earlier.refused + report.refused } : report,
    );
  }
  return [...byPath.values()];
}
