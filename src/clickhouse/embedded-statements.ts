import { buffer } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { chdbConnection } from './chdb-connection.ts';
import type { Statements } from './statements.ts';

/** A connection of its own to the engine in this process. Settings stick to it, and it runs one statement at a time. */
export function createEmbeddedStatements(path: string): Statements {
  const client = createClient({ connection: chdbConnection(path) });
  return {
    async run(query, params) {
      await client.command({ query, ...(params && { query_params: { ...params } }) });
    },
    async read(query, params) {
      const { stream } = await client.exec({ query, ...(params && { query_params: { ...params } }) });
      return buffer(stream);
    },
    close: () => client.close(),
  };
}
