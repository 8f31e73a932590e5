import type { Bench, Figure } from './bench.ts';
import { drainFigures } from './delivery-drain.ts';
import { queueFigures } from './delivery-queue.ts';
import { waitFigure } from './delivery-wait.ts';
import { openPythonClient } from './python-client.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** From the ready topic to a trainer. */
export const delivery: Bench = {
  name: 'delivery',
  run: (size) =>
    inTemporaryFolder(async (folder) => {
      const figures: Figure[] = await queueFigures(size);
      const python = await openPythonClient();
      if (typeof python === 'string') {
        process.stderr.write(`skipped, what the Python client takes: ${python}\n`);
        return figures;
      }
      const drained = await drainFigures(folder, size, python);
      const rate = Math.max(...drained.slice(0, 2).map(({ value }) => value.median));
      return [...drained, await waitFigure(folder, size, python, rate), ...figures];
    }),
};
