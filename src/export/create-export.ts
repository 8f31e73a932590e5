import { Readable } from 'node:stream';
import type { Store } from '../clickhouse/port.ts';
import { RollstreamError } from '../errors.ts';
import { countDecided } from './count-decided.ts';
import { type DecidedKey, decidedPages } from './decided-pages.ts';
import type { Exported, ExportQuery } from './export-query.ts';
import { messageLines } from './message-lines.ts';
import { parquetSelect } from './parquet-select.ts';
import { trajectoryLines } from './trajectory-lines.ts';

type Lines = (store: Store, runId: string, page: readonly DecidedKey[]) => Promise<string>;
const LINES: Readonly<Record<'jsonl' | 'messages', Lines>> = { jsonl: trajectoryLines, messages: messageLines };

/**
 * A run as a file, from the store alone: what was decided before the export began, in the order in which it was decided.
 * RS_NOT_FOUND: nothing of it was decided.
 */
export function createExport(store: Store): (query: ExportQuery) => Promise<Exported> {
  return async function exportRun({ runId, format, all }) {
    const count = await countDecided(store, runId, all);
    if (count === null)
      throw new RollstreamError('RS_NOT_FOUND', `nothing was decided in a run named ${runId}`, {
        facts: { field: 'run' },
      });
    const { until, trajectories, without } = count;
    const bytes =
      format === 'parquet'
        ? await store.readParquet(parquetSelect(all), { run: runId, until })
        : Readable.from(linesOf(store, LINES[format], { runId, all, until }), { objectMode: false });
    return { trajectories, without, bytes };
  };
}

async function* linesOf(
  store: Store,
  lines: Lines,
  scope: { runId: string; all: boolean; until: number },
): AsyncGenerator<Buffer> {
  for await (const page of decidedPages(store, scope)) yield Buffer.from(await lines(store, scope.runId, page));
}
