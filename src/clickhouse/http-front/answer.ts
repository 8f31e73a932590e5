import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EngineAnswer } from './front-engine.ts';
import { type FrontFailure, failureOf } from './front-error.ts';

/** So small a body is not worth it. */
const GZIP_FROM_BYTES = 1_024;
const compress = promisify(gzip);

export interface AnswerFacts {
  readonly queryId: string;
  readonly format: string;
  readonly timezone: string;
  /** The client takes gzip and asked for it. */
  readonly zipped: boolean;
}

export function plainAnswer(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=UTF-8', ...DISPLAY } });
}

export async function queryAnswer({ body, summary }: EngineAnswer, facts: AnswerFacts): Promise<Response> {
  const headers: Record<string, string> = {
    ...DISPLAY,
    'content-type': contentType(facts.format),
    'x-clickhouse-query-id': facts.queryId,
    'x-clickhouse-format': facts.format,
    'x-clickhouse-timezone': facts.timezone,
    'x-clickhouse-summary': JSON.stringify(summary),
  };
  if (!facts.zipped || body.length < GZIP_FROM_BYTES) return new Response(new Uint8Array(body), { headers });
  headers['content-encoding'] = 'gzip';
  return new Response(new Uint8Array(await compress(body)), { headers });
}

export function failureAnswer(cause: unknown, queryId: string): { response: Response; failure: FrontFailure } {
  const failure = failureOf(cause);
  const { code, type, message, status } = failure;
  const headers = { ...DISPLAY, 'content-type': 'text/plain; charset=UTF-8' };
  const text = `Code: ${code}. DB::Exception: ${message} (${type})\n`;
  return {
    failure,
    response: new Response(text, {
      status,
      headers: { ...headers, 'x-clickhouse-query-id': queryId, 'x-clickhouse-exception-code': code },
    }),
  };
}

const DISPLAY = { 'x-clickhouse-server-display-name': 'rollstream' };

function contentType(format: string): string {
  if (/^JSON\w*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (/^JSON/.test(format)) return 'application/json; charset=UTF-8';
  if (/^CSV/.test(format)) return 'text/csv; charset=UTF-8; header=absent';
  if (/^(?:TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  return /^(?:Pretty|Vertical|Markdown|XML|Values)/.test(format)
    ? 'text/plain; charset=UTF-8'
    : 'application/octet-stream';
}
