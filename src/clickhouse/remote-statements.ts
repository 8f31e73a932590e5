import { addAbortSignal, Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { answerOf } from './answer-of.ts';
import type { QueryParams } from './port.ts';
import { queryForm } from './query-form.ts';
import type { Statements } from './statements.ts';

/** Statements over HTTP, each a request of its own. `timeoutMs`: for the whole of it. */
export function createRemoteStatements(client: ClickHouseClient, timeoutMs: number): Statements {
  async function read(sql: string, params: QueryParams = {}): Promise<Buffer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = { abort_signal: signal, ignore_error_response: true };
    // Without a query the client sends `values` as they are: a form, since a list of ids does not fit into a URL.
    const form = Object.keys(params).length === 0 ? null : queryForm(sql, params);
    const answer =
      form === null
        ? await client.exec({ ...request, query: sql })
        : await client.exec({
            ...request,
            query: '',
            values: Readable.from([form.body]),
            http_headers: { 'Content-Type': form.contentType },
          });
    addAbortSignal(signal, answer.stream);
    return answerOf(answer);
  }

  return {
    async run(sql, params) {
      await read(sql, params);
    },
    read,
    close: () => client.close(),
  };
}
