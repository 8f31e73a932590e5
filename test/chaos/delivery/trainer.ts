import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../../../examples/generate/random.ts';
import { createAsk, Refused } from './ask.ts';
import { openCheckpointFiles } from './checkpoint-files.ts';
import { train } from './train.ts';

/** A trainer as a process of its own. Exit code 0: all is trained; 3: it was refused, and must restore or stop; 1: a bug. */
const { values } = parseArgs({
  options: {
    /** Comma-separated. */
    servers: { type: 'string', default: '' },
    run: { type: 'string', default: '' },
    dp: { type: 'string', default: '0' },
    folder: { type: 'string', default: '' },
    seed: { type: 'string', default: '0' },
  },
});
const REFUSED = 3;

const { run, folder } = values;
const random = createRandom(values.seed);
const say = (event: string, facts: object = {}): void => {
  process.stdout.write(`${JSON.stringify({ event, ...facts })}\n`);
};
try {
  await train({
    ...{ ask: createAsk(values.servers.split(','), random), random, run, dp: Number(values.dp), say },
    files: openCheckpointFiles(join(folder, `checkpoints-${run}`)),
    received: join(folder, `received-${run}-${process.pid}.jsonl`),
    finish: join(folder, `finish-${run}`),
  });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  say('refused', { code: error.code, reason: error.reason });
  process.exitCode = REFUSED;
}
