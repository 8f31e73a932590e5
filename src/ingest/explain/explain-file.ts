import { RollstreamError } from '../../errors.ts';
import { isBrokenGzip } from '../broken-gzip.ts';
import type { JsonObject } from '../exact-number.ts';
import { openFile, openStream } from '../file-bytes.ts';
import { firstLines, knownBy, recordLines } from '../first-lines.ts';
import { contextOf, type ImportOptions, importerFor } from '../import-files.ts';
import type { Importer } from '../importer.ts';
import { type InputFile, inputFiles } from '../input-files.ts';
import { openDocument, type ReadLine } from '../open-document.ts';
import { readSidecars } from '../read-sidecars.ts';
import { whyNotTaken } from '../why-not-taken.ts';
import { explainMapping, type Mapping } from './explain-mapping.ts';

export interface FileExplanation extends Mapping {
  readonly path: string;
  readonly format: string;
  /** Why it was taken for that. */
  readonly why: string;
}

/** Lines of a format whose rollouts lie over many lines that are explained together. */
const MOST_LINES = 50;

/** How the first rollout of the first file is mapped, value by value. Nothing is kept. */
export async function explainFile(
  paths: readonly string[],
  options: ImportOptions,
  stdin: AsyncIterable<Buffer> = process.stdin,
): Promise<FileExplanation> {
  const asked = importerFor(options.format ?? 'auto');
  const [file] = await inputFiles(paths);
  if (file === undefined) throw new RollstreamError('RS_USAGE', `${paths.join(' ')}: there is no file in it`);
  const { importer, why, records } = await firstRecords(file, asked, stdin);
  const context = { ...contextOf(file, 'all', options), sidecars: await readSidecars(importer, file.path) };
  const mapping = explainMapping(importer, records, context);
  if ('refused' in mapping) throw notTaken(file, mapping.refused.message);
  return { path: file.path, format: importer.name, why, ...mapping };
}

interface FirstRecords {
  readonly importer: Importer;
  readonly why: string;
  readonly records: readonly JsonObject[];
}

async function firstRecords(
  file: InputFile,
  asked: Importer | null,
  stdin: AsyncIterable<Buffer>,
): Promise<FirstRecords> {
  const bytes = file.path === '-' ? openStream(stdin) : await openFile(file.path);
  try {
    const opened = await openDocument({ path: file.path, chunks: bytes.chunks, importer: asked, parts: new Set() });
    if (opened.kind === 'document') {
      const { found, document } = opened;
      if (found === null) throw unknown(file, [document], true);
      return { importer: found.importer, why: found.why, records: [recordValue(file, document)] };
    }
    const lines = recordLines(opened.chunks);
    const head = await firstLines(lines);
    const values = head.flatMap(({ record }) => ('value' in record ? [record.value] : []));
    const found = asked === null ? knownBy(head, file.path) : { importer: asked, why: 'as asked' };
    if (found === null) throw unknown(file, head);
    return { ...found, records: found.importer.interleaved ? await moreOf(values, lines) : values.slice(-1) };
  } catch (error) {
    if (!isBrokenGzip(error)) throw error;
    throw notTaken(file, `broken gzip: ${error.message}`);
  } finally {
    await bytes.close();
  }
}

function unknown(file: InputFile, head: readonly ReadLine[], isDocument = false): RollstreamError {
  return notTaken(file, whyNotTaken(head, head[0]?.line.bytes ?? Buffer.alloc(0), isDocument).why);
}

async function moreOf(values: readonly JsonObject[], lines: AsyncGenerator<ReadLine>): Promise<JsonObject[]> {
  const records = [...values];
  while (records.length < MOST_LINES) {
    const next = await lines.next();
    if (next.done) break;
    if ('value' in next.value.record) records.push(next.value.record.value);
  }
  return records;
}

function recordValue(file: InputFile, { record }: ReadLine): JsonObject {
  if ('refused' in record) throw notTaken(file, record.refused.message);
  return record.value;
}

function notTaken({ path }: InputFile, why: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `${path}: ${why}`, { facts: { path } });
}
