import { describe, expect, it } from 'vitest';
import { coalesceInserts } from '../../../src/clickhouse/coalesce-inserts.ts';
import type { InsertBatch } from '../../../src/clickhouse/port.ts';

const batch = (table: string, bytes: readonly number[], columns: readonly string[] = ['a']): InsertBatch => ({
  table,
  columns,
  rowCount: bytes.length,
  rowBinary: Uint8Array.from(bytes),
});

/** Inserts that end when they are told to. */
function heldInserts() {
  const sent: Array<{ batch: InsertBatch; end: (error?: Error) => void }> = [];
  const insert = coalesceInserts(
    (given) =>
      new Promise((resolve, reject) => {
        sent.push({ batch: given, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
  );
  return { sent, insert };
}

const told = async (promise: Promise<void>) =>
  promise.then(
    () => 'done',
    (error: Error) => error.message,
  );

describe('inserts of one table', () => {
  it('that come while one is under way are sent as one, in order; each is told', async () => {
    const { sent, insert } = heldInserts();
    const all = [[1], [2, 3], [4]].map((bytes) => told(insert(batch('steps', bytes))));
    expect(sent.map(({ batch: { rowBinary } }) => [...rowBinary])).toEqual([[1]]);
    sent[0]?.end();
    expect(await all[0]).toBe('done');
    expect(sent[1]?.batch).toMatchObject({ table: 'steps', rowCount: 3 });
    expect([...(sent[1]?.batch.rowBinary ?? [])]).toEqual([2, 3, 4]);
    sent[1]?.end();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  });

  it('that fail, fail for each that was in them, and for no other', async () => {
    const { sent, insert } = heldInserts();
    const first = told(insert(batch('steps', [1])));
    const rest = [told(insert(batch('steps', [2]))), told(insert(batch('steps', [3])))];
    sent[0]?.end();
    expect(await first).toBe('done');
    sent[1]?.end(new Error('gone'));
    expect(await Promise.all(rest)).toEqual(['gone', 'gone']);
    const again = told(insert(batch('steps', [2])));
    sent[2]?.end();
    expect(await again).toBe('done');
  });

  it('do not wait for those of another table, nor join others of other columns', async () => {
    const { sent, insert } = heldInserts();
    void insert(batch('steps', [1]));
    void insert(batch('lanes', [2]));
    void insert(batch('steps', [3]));
    void insert(batch('steps', [4], ['a', 'b']));
    expect(sent.map(({ batch: { table } }) => table)).toEqual(['steps', 'lanes']);
    sent[0]?.end();
    await Promise.resolve().then(() => undefined);
    await Promise.resolve();
    expect([...(sent[2]?.batch.rowBinary ?? [])]).toEqual([3]);
  });
});
