import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import { STORE_FOLDER } from '../../src/config/data-folders.ts';
import { writeAnalyticsRun } from './analytics-run.ts';

/** `--data FOLDER --run NAME --trajectories N [--seed N] [--steps N]`: prepares a data folder that `rollstream up` can open. */
const { values } = parseArgs({
  options: {
    ...{ data: { type: 'string' }, run: { type: 'string' }, trajectories: { type: 'string' } },
    ...{ seed: { type: 'string', default: '1' }, steps: { type: 'string', default: '10' } },
  },
});
const { data, run, trajectories, seed, steps } = values;
if (data === undefined || run === undefined || trajectories === undefined)
  throw new Error('needed: --data FOLDER --run NAME --trajectories N');
const folder = join(data, STORE_FOLDER);
await mkdir(folder, { recursive: true });
const store = await openEmbeddedStore({ folder });
try {
  await store.migrate();
  const rows = await writeAnalyticsRun(store, {
    runId: run,
    trajectories: Number(trajectories),
    stepsPerTrajectory: Number(steps),
    seed: Number(seed),
  });
  process.stdout.write(`${JSON.stringify(rows)}\n`);
} finally {
  await store.close();
}
