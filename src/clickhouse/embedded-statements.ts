import { buffer } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { createOneAtATime } from '../one-at-a-time.ts';
import { chdbConnection } from './chdb-connection.ts';
import type { Statements } from './statements.ts';
import { wholeOf } from './whole-of.ts';

/** A connection of its own to the engine in this process. Settings stick to it, and it runs one statement at a time. */
export function createEmbeddedStatements(path: string): Statements {
  const client = createClient({ connection: chdbConnection(path) });
  /** Nothing may come between a failed statement and the one that takes its rows away. */
  const alone = createOneAtATime();

  /** Rows that a statement had given before it failed are still in the connection: they would lead the next answer. */
  const withoutLeftovers = <T>(work: () => Promise<T>): Promise<T> =>
    alone(async () => {
      try {
        return await work();
      } catch (error) {
        await client.exec({ query: 'SELECT 1 FORMAT Null' }).then(
          ({ stream }) => buffer(stream),
          () => undefined,
        );
        throw error;
      }
    });

  return {
    run: (query, params) =>
      withoutLeftovers(async () => {
        await client.command({ query, ...(params && { query_params: { ...params } }) });
      }),
    read: (query, params) =>
      withoutLeftovers(async () => {
        const { stream } = await client.exec({ query, ...(params && { query_params: { ...params } }) });
        return wholeOf(stream);
      }),
    close: () => client.close(),
  };
}
