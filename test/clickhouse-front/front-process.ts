import { parseArgs } from 'node:util';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import { startHttpFront } from '../../src/clickhouse/http-front/start-http-front.ts';

/** The ClickHouse server of tests: the engine behind its HTTP interface, in a process that can be killed. Prints its URL. */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    writable: { type: 'boolean', default: false },
    token: { type: 'string' },
    migrate: { type: 'boolean', default: false },
  },
});
const store = await openEmbeddedStore({ folder: values.data });
if (values.migrate) await store.migrate();
const front = await startHttpFront({
  folder: values.data,
  host: '127.0.0.1',
  port: Number(values.port),
  writable: values.writable,
  insertsAtOnce: 4,
  token: values.token ?? null,
});
process.stdout.write(`${front.url}\n`);
