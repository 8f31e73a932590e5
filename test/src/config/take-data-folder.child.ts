import { createInterface } from 'node:readline';
import { takeDataFolder } from '../../../src/config/data-owner.ts';
import { RollstreamError } from '../../../src/errors.ts';

// Says `ready`; at the first line takes the folder and says what came of it; lives until its input ends.
const [folder = ''] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });
console.log('ready');
lines.once('line', async () => {
  try {
    await takeDataFolder(folder, { url: 'http://127.0.0.1:1' });
    console.log('taken');
  } catch (error) {
    console.log(error instanceof RollstreamError ? error.code : String(error));
  }
});
