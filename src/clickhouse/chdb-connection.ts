import type { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';

type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;
type Statement = Parameters<Connection['query']>[0];

/**
 * The engine in this process, as the official client takes a connection. Settings are not passed on: what the client adds is
 * for HTTP, and ours are SET once a connection (the binding would splice them before the statement, each time).
 */
export function chdbConnection(path: string): Connection {
  const chdb = createChdbConnection({ path });
  const bare = ({ query, query_params, query_id, abort_signal }: Statement) => ({
    query,
    ...(query_params && { query_params }),
    ...(query_id !== undefined && { query_id }),
    ...(abort_signal && { abort_signal }),
  });
  return {
    ping: () => chdb.ping({ select: true }),
    query: (statement) => chdb.query(bare(statement)),
    insert: (statement) => chdb.insert({ ...bare(statement), values: statement.values }),
    exec: (statement) => chdb.exec({ ...bare(statement), ...(statement.values && { values: statement.values }) }),
    command: (statement) => chdb.command(bare(statement)),
    close: () => chdb.close(),
  };
}
