import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { answerOf } from './answer-of.ts';
import { insertStatement } from './insert-statement.ts';
import type { InsertBatch } from './port.ts';

/**
 * Sends the rows as they are. The answer comes when they are on the server's disk (the tables fsync). Without an answer the
 * outcome is unknown: the same rows are sent again, and keys and versions make them one.
 */
export function createRemoteInsert(client: ClickHouseClient): (batch: InsertBatch) => Promise<void> {
  return async function insert(batch) {
    const { buffer, byteOffset, byteLength } = batch.rowBinary;
    await answerOf(
      await client.exec({
        query: `${insertStatement(batch)} FORMAT RowBinary`,
        values: Readable.from([Buffer.from(buffer, byteOffset, byteLength)]),
        ignore_error_response: true,
      }),
    );
  };
}
