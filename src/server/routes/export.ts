import { Readable } from 'node:stream';
import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../export/export-query.ts';
import { TRAJECTORIES_HEADER, WITHOUT_HEADER } from '../headers.ts';
import { bad } from '../request-value.ts';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  jsonl: 'application/x-ndjson',
  messages: 'application/x-ndjson',
};

/** `GET /v1/export?run&format&all`: a run as the content of a file. An error on the way breaks the answer off. */
export function exportRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono().get('/export', async (c) => {
    const runId = c.req.query('run');
    if (runId === undefined) throw bad('run', 'run: the run to export is needed');
    const format = formatOf(c.req.query('format'));
    const all = allOf(c.req.query('all'));
    const { trajectories, without, bytes } = await access.export({ runId, format, all });
    return new Response(Readable.toWeb(bytes), {
      headers: {
        'content-type': CONTENT_TYPES[format],
        [TRAJECTORIES_HEADER]: String(trajectories),
        [WITHOUT_HEADER]: String(without),
      },
    });
  });
}

function formatOf(text: string | undefined): ExportFormat {
  const format = EXPORT_FORMATS.find((one) => one === (text ?? 'parquet'));
  if (format === undefined) throw bad('format', `format: ${EXPORT_FORMATS.join(', ')}`);
  return format;
}

function allOf(text: string | undefined): boolean {
  if (text === undefined || text === '0') return false;
  if (text === '1') return true;
  throw bad('all', 'all: 1 or 0');
}
