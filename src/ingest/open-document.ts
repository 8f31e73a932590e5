import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { gatherTogether } from './gather-together.ts';
import type { Detection, Importer } from './importer.ts';
import { detectFormat } from './importers.ts';
import { isDocument } from './is-document.ts';
import type { SourceLine } from './line-reader.ts';
import { peek } from './peek.ts';
import { documentOf, readDocument } from './read-document.ts';
import { type ReadRecord, readRecord } from './read-record.ts';

export interface ReadLine {
  readonly line: SourceLine;
  readonly record: ReadRecord;
}

export interface Found extends Pick<Detection, 'why'> {
  readonly importer: Importer;
}

export type OpenedFile =
  /** JSON Lines, or something else that is told by its lines. */
  | { readonly kind: 'lines'; readonly chunks: AsyncIterable<Buffer> }
  /** `found`: null where no importer knows it. */
  | { readonly kind: 'document'; readonly found: Found | null; readonly document: ReadLine };

export interface DocumentSource {
  /** As the user named it. */
  readonly path: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** null: the file says which. */
  readonly importer: Importer | null;
  /** Files that were read as parts of other files' rollouts (absolute paths). */
  readonly parts: Set<string>;
}

/** Whether a file is read by lines or is one document; of a document all of it, with what belongs to it from beside it. */
export async function openDocument(source: DocumentSource): Promise<OpenedFile> {
  const { head, isOneLine, chunks } = await peek(source.chunks);
  if (isDocument(head)) return taken(source, await readDocument(chunks));
  if (!isOneLine || head.length === 0) return { kind: 'lines', chunks };
  const opened = await taken(source, lineAsDocument(head));
  return opened.found?.importer.together === undefined ? { kind: 'lines', chunks } : opened;
}

async function taken(source: DocumentSource, line: SourceLine): Promise<OpenedFile & { kind: 'document' }> {
  const document = { line, record: readRecord(line, true) };
  const found = foundIn(document, source);
  const { path, parts } = source;
  if (found?.importer.together === undefined || path === '-') return { kind: 'document', found, document };
  const { record, files } = await gatherTogether(found.importer, path, line);
  for (const part of files) if (part !== resolve(path)) parts.add(part);
  return { kind: 'document', found, document: { line: record, record: readRecord(record, true) } };
}

function foundIn({ record }: ReadLine, { importer, path }: DocumentSource): Found | null {
  if (importer !== null) return { importer, why: 'as asked' };
  return detectFormat('value' in record ? [record.value] : [], path);
}

/** Without the end of the line: the same record as if it were read as a line. */
function lineAsDocument(head: Buffer): SourceLine {
  let end = head.length;
  while (end > 0 && (head[end - 1] === 0x0a || head[end - 1] === 0x0d)) end--;
  const bytes = head.subarray(0, end);
  return documentOf(bytes, bytes.length, createHash('sha256').update(bytes).digest('hex'));
}
