import type { Bench } from './bench.ts';
import { drainFigures } from './delivery-drain.ts';
import { openPythonClient } from './python-client.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** From the ready topic to a trainer. */
export const delivery: Bench = {
  name: 'delivery',
  run: (size) =>
    inTemporaryFolder(async (folder) => {
      const python = await openPythonClient();
      if (typeof python === 'string') {
        process.stderr.write(`skipped, what the Python client takes: ${python}\n`);
        return [];
      }
      return drainFigures(folder, size, python);
    }),
};
