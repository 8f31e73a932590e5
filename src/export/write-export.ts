import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RollstreamError } from '../errors.ts';
import { dataLines } from './data-lines.ts';
import type { Exported, ExportFormat } from './export-query.ts';

/** What became of one run. */
export interface WrittenExport {
  /** null: there was nothing to write. */
  readonly path: string | null;
  readonly trajectories: number;
  /** Attempts of the scope that are not in the file, by reason. */
  readonly left_out: Readonly<Record<string, number>>;
}

/** The file is there whole or not at all: it is written beside its place and renamed. */
export async function writeExport(
  { trajectories, without, bytes }: Exported,
  { path, format, signal }: { path: string; format: ExportFormat; signal: AbortSignal },
): Promise<WrittenExport> {
  const leftOut: Record<string, number> = without === 0 ? {} : { superseded: without };
  if (trajectories === 0) {
    bytes.destroy();
    return { path: null, trajectories, left_out: leftOut };
  }
  let lines = 0;
  const tell = {
    line: () => {
      lines += 1;
    },
    leftOut: ({ reason }: { reason: string }) => {
      leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    },
  };
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  try {
    const file = createWriteStream(draft);
    await (format === 'parquet'
      ? pipeline(bytes, file, { signal })
      : pipeline(bytes, (source: AsyncIterable<Buffer>) => dataLines(source, tell), file, { signal }));
    const isEmpty = format !== 'parquet' && lines === 0;
    if (!isEmpty) await put(draft, path);
    return {
      path: isEmpty ? null : path,
      trajectories: format === 'parquet' ? trajectories : lines,
      left_out: leftOut,
    };
  } catch (cause) {
    if (signal.aborted) throw new RollstreamError('RS_INTERRUPTED', 'interrupted: the file was not written', { cause });
    throw writeError(cause, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** On the disk before it has its name. */
async function put(draft: string, path: string): Promise<void> {
  const handle = await open(draft, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
}

function writeError(cause: unknown, path: string): unknown {
  if (cause instanceof RollstreamError || !(cause instanceof Error) || !('syscall' in cause)) return cause;
  const isFull = 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT');
  return new RollstreamError(isFull ? 'RS_DISK_FULL' : 'RS_FILE_UNREADABLE', `cannot write ${path}: ${cause.message}`, {
    cause,
    facts: { file: path },
  });
}
