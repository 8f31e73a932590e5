import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepRow } from '../../processors/model/effects.ts';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import { encodeSteps } from '../../src/clickhouse/tables/steps.ts';
import type { Bench } from './bench.ts';
import { decodedSteps } from './decoded-steps.ts';
import { type Spent, spentOn } from './rounds.ts';
import { spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** As many as a flush of 32 MB holds. */
const ROWS = 7500;

/** Rows of 512-token steps: encode, and the engine's durable insert. Wall time: the engine has threads of its own. */
export const storeInsert: Bench = {
  name: 'insert',
  run(size) {
    return inTemporaryFolder(async (folder) => {
      const count = size === 'full' ? ROWS : 100;
      const store = await openEmbeddedStore({ folder: join(folder, 'store') });
      await store.migrate();
      const decoded = decodedSteps('insert', count);
      const encoded: Spent[] = [];
      const inserted: Spent[] = [];
      const written: Spent[] = [];
      for (let round = 0; round <= (size === 'full' ? 7 : 1); round++) {
        // Another partition is another key: every round adds rows.
        const rows = decoded.map(
          ({ unit, event, cause: { offset, appendedAtMs } }): StepRow => ({
            event,
            unit,
            partition: round,
            offset,
            appendedAtMs,
            cause: offset,
          }),
        );
        let batch = encodeSteps([], { topic: 'steps', term: 1 });
        const encode = await spentOn(() => {
          batch = encodeSteps(rows, { topic: 'steps', term: 1 });
        });
        const insert = await spentOn(() => store.insert(batch));
        const write = await spentOn(() => writeDurably(join(folder, 'bytes'), batch.rowBinary));
        // The first round warms up.
        if (round === 0) continue;
        encoded.push(encode);
        inserted.push(insert);
        written.push(write);
      }
      await store.close();
      const totals = encoded.map(({ wallS }, round) => count / (wallS + (inserted[round]?.wallS ?? 0)));
      const bare = written.map(({ wallS }) => count / wallS);
      const value = spreadOf(totals);
      const micros = (spent: readonly Spent[], of: keyof Spent) =>
        ((1e6 * spreadOf(spent.map((one) => one[of])).median) / count).toFixed(1);
      return [
        {
          name: 'ClickHouse insert of 512-token steps',
          value,
          unit: 'rows/s',
          yardstick: { name: 'the bytes to a file, fsync', value: spreadOf(bare) },
          ratio: spreadOf(totals.map((rate, round) => rate / (bare[round] ?? Number.NaN))).median,
          target: { text: '≥ 50,000/s', met: value.median >= 50_000 },
          notes: [
            `µs a row: encode ${micros(encoded, 'wallS')} wall, ${micros(encoded, 'cpuS')} CPU; engine ${micros(inserted, 'wallS')} wall, ${micros(inserted, 'cpuS')} CPU`,
          ],
        },
      ];
    });
  },
};

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'w');
  await file.writeFile(bytes);
  await file.sync();
  await file.close();
}
