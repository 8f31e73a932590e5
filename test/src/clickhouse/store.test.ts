import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { chdbConnection } from '../../../src/clickhouse/chdb-connection.ts';
import { DEFAULT_READER_LIMITS } from '../../../src/clickhouse/reader-limits.ts';
import { createStore } from '../../../src/clickhouse/store.ts';

test('the writer inserts synchronously, into as many months as there are; settings stick to their connection', async () => {
  const path = await mkdtemp(join(tmpdir(), 'rollstream-store-'));
  const connect = () => createClient({ connection: chdbConnection(path) });
  const [writer, queries, reader] = [connect(), connect(), connect()];
  const createInsert = async () => ({ insert: async () => {} });
  const store = await createStore({
    writer,
    queries,
    reader,
    createInsert,
    readerLimits: DEFAULT_READER_LIMITS,
    log() {},
  });
  await store.migrate();
  const setting = async (client: typeof writer, name: string) => {
    const result = await client.query({ query: `SELECT toString(getSetting('${name}')) AS v`, format: 'JSONEachRow' });
    return (await result.json<{ v: string }>())[0]?.v;
  };
  expect(await setting(writer, 'async_insert')).toBe('false');
  expect(await setting(writer, 'max_partitions_per_insert_block')).toBe('0');
  expect(await setting(writer, 'readonly')).toBe('0');
  expect(await setting(reader, 'readonly')).toBe('1');
  await store.close();
  await rm(path, { recursive: true, force: true });
});
