import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { answerOf } from './answer-of.ts';
import { PARQUET_SETTINGS } from './parquet-settings.ts';
import type { QueryParams } from './port.ts';
import { queryForm } from './query-form.ts';

/**
 * Over HTTP: the server keeps what it writes until the file is whole (wait_end_of_query, beyond its buffer on its disk), so an
 * error never comes behind half a file. `connect`: a client that waits long, closed with the stream.
 */
export function createRemoteParquet(
  connect: () => ClickHouseClient,
): (sql: string, params: QueryParams) => Promise<Readable> {
  return async function readParquet(sql, params) {
    const client = connect();
    try {
      const form = queryForm(`${sql}\nFORMAT Parquet\n${PARQUET_SETTINGS}`, params);
      const answer = await client.exec({
        ignore_error_response: true,
        query: '',
        values: Readable.from([form.body]),
        http_headers: { 'Content-Type': form.contentType },
      });
      const isFile =
        answer.http_status_code === 200 && answer.response_headers['x-clickhouse-exception-code'] === undefined;
      // Throws what the server said.
      if (!isFile) return Readable.from([await answerOf(answer)]);
      answer.stream.once('close', () => void client.close());
      return answer.stream;
    } catch (cause) {
      await client.close();
      throw cause;
    }
  };
}
