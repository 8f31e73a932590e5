import { join } from 'node:path';
import { open } from 'lmdb';
import { openEmbeddedBroker } from '../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker, NewRecord } from '../../src/broker/port.ts';
import type { Bench, Figure, Size } from './bench.ts';
import { spentOn } from './rounds.ts';
import { type Spread, spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const RECORD_BYTES = 4300;
const READ_BYTES = 1 << 20;

/** Durable appends, and reads, beside what bare LMDB does with the same bytes. */
export const logRecords: Bench = {
  name: 'log',
  async run(size) {
    return [await appends(100, size), await appends(1000, size), await reads(size)];
  },
};

const value = Buffer.alloc(RECORD_BYTES, 7);

function batchesOf(batch: number, size: Size): { count: number; records: NewRecord[] } {
  const records = Array.from({ length: batch }, (_, n) => ({ key: `bench/0/r/rollout-${n}`, value }));
  return { count: size === 'full' ? Math.round(20_000 / batch) : 2, records };
}

/** Wall time: what an append waits for is the disk. */
async function appends(batch: number, size: Size): Promise<Figure> {
  const { count, records } = batchesOf(batch, size);
  const figures: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < (size === 'full' ? 5 : 1); round++)
    await inTemporaryFolder(async (folder) => {
      const broker = await openLog(join(folder, 'log'));
      const own = await spentOn(async () => {
        for (let n = 0; n < count; n++) await broker.append('steps', records);
      });
      await broker.close();
      const root = openBare(join(folder, 'bare'));
      const raw = await spentOn(async () => {
        for (let n = 0; n < count; n++)
          await root.transaction(() => {
            for (let i = 0; i < batch; i++) root.put(n * batch + i, value);
          });
      });
      await root.close();
      figures.push((count * batch) / own.wallS);
      bare.push((count * batch) / raw.wallS);
    });
  return figureOf(`append, batches of ${batch}`, figures, 'LMDB puts', bare);
}

async function reads(size: Size): Promise<Figure> {
  const { count, records } = batchesOf(1000, size);
  const figures: number[] = [];
  const bare: number[] = [];
  await inTemporaryFolder(async (folder) => {
    const broker = await openLog(join(folder, 'log'));
    const root = openBare(join(folder, 'bare'));
    for (let n = 0; n < count; n++) {
      await broker.append('steps', records);
      await root.transaction(() => {
        for (let i = 0; i < records.length; i++) root.put(n * records.length + i, value);
      });
    }
    const total = count * records.length;
    for (let round = 0; round < (size === 'full' ? 5 : 1); round++) {
      const own = await spentOn(() => readAll(broker, total));
      let bytes = 0;
      const raw = await spentOn(() => {
        for (let i = 0; i < total; i++) bytes += root.get(i)?.length ?? 0;
      });
      if (bytes !== total * RECORD_BYTES) throw new Error('bare LMDB lost bytes');
      figures.push(total / own.wallS);
      bare.push(total / raw.wallS);
    }
    await root.close();
    await broker.close();
  });
  return figureOf('read', figures, 'LMDB gets', bare);
}

function openBare(path: string) {
  return open<Buffer, number>({
    ...{ path, encoding: 'binary', keyEncoding: 'uint32', overlappingSync: false, eventTurnBatching: false },
  });
}

async function openLog(folder: string): Promise<Broker> {
  const broker = await openEmbeddedBroker({ folder });
  await broker.ensureTopics([{ name: 'steps', partitions: 1, compacted: false }]);
  return broker;
}

async function readAll(broker: Broker, total: number): Promise<void> {
  let offset = 0;
  while (offset < total)
    offset += (await broker.read('steps', 0, offset, { maxBytes: READ_BYTES, maxWaitMs: 0 })).length;
}

function figureOf(name: string, figures: readonly number[], yardstick: string, bare: readonly number[]): Figure {
  const ratio: Spread = spreadOf(figures.map((rate, round) => rate / (bare[round] ?? Number.NaN)));
  return {
    name: `log: ${name} × 4.3 KB`,
    value: spreadOf(figures),
    unit: 'records/s',
    yardstick: { name: yardstick, value: spreadOf(bare) },
    ratio: ratio.median,
  };
}
