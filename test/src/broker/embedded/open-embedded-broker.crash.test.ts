import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker, LogRecord } from '../../../../src/broker/port.ts';
import { startTypescript } from '../../../start-typescript.ts';

const KILLS = 6;

async function readAll(broker: Broker, topic: string, partition = 0): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let next = 0; ; next = (records.at(-1)?.offset ?? 0) + 1) {
    const more = await broker.read(topic, partition, next, { maxBytes: 8e6, maxWaitMs: 0 });
    if (more.length === 0) return records;
    records.push(...more);
  }
}

/** Runs the writer and kills it once it has acknowledged so much, wherever it is by then. */
async function writeUntilKilled(folder: string, first: number, acknowledgements: number): Promise<string[]> {
  const child = startTypescript('./crashing-writer.child.ts', import.meta.url, [folder, `${first}`]);
  const exited = once(child, 'exit');
  const errors: string[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === acknowledgements) child.kill('SIGKILL');
  }
  await exited;
  expect(errors).toEqual([]);
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

test('a writer killed with -9 loses nothing that it acknowledged, and leaves no half append or transaction', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-log-'));
  const created = await openEmbeddedBroker({ folder });
  await created.ensureTopics([
    { name: 'appended', partitions: 2, compacted: false },
    { name: 'ready', partitions: 1, compacted: false },
    { name: 'rejected', partitions: 1, compacted: false },
    { name: 'state', partitions: 1, compacted: true },
  ]);
  await created.close();

  const acknowledged = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const count = 5 + Math.floor(Math.random() * 300);
    for (const line of await writeUntilKilled(folder, kill * 100_000, count)) acknowledged.add(line);

    const broker = await openEmbeddedBroker({ folder });
    const kept = new Set<string>();

    const appends = new Map<string, LogRecord[]>();
    for (const record of [...(await readAll(broker, 'appended', 0)), ...(await readAll(broker, 'appended', 1))]) {
      const key = record.key?.toString() ?? '';
      appends.set(key, [...(appends.get(key) ?? []), record]);
    }
    for (const [key, records] of appends) {
      const n = Number(key);
      expect(records.length, `append ${n} whole`).toBe(1 + (n % 9));
      records.forEach((record, index) => {
        const whole = Buffer.alloc((n * 7919) % 50_000, `${n}/${index},`).equals(record.value ?? Buffer.alloc(0));
        expect(whole, `append ${n}, record ${index}`).toBe(true);
      });
      kept.add(`append ${n}`);
    }

    const ready = (await readAll(broker, 'ready')).map(({ key }) => key?.toString());
    const rejected = (await readAll(broker, 'rejected')).map(({ key }) => key?.toString());
    expect(ready).toEqual(rejected.flatMap((key) => [key, key]));
    for (const key of rejected) kept.add(`transact ${key}`);
    const last = Number(rejected.at(-1));
    expect(await broker.committed('lane', 'appended', 0)).toEqual({ offset: last, metadata: `cut ${last}` });
    const state = await readAll(broker, 'state');
    expect(state.map(({ value }) => value?.equals(Buffer.alloc(last % 9000, `${last},`)))).toEqual([true]);

    expect([...acknowledged].filter((line) => !kept.has(line))).toEqual([]);
    await broker.close();
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS * 5 - 1);
  await rm(folder, { recursive: true });
});
