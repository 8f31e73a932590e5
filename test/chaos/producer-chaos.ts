/**
 * A server, producers, and what goes wrong with them: the server is killed with -9 and stays away, briefly and once for long;
 * producers are killed in the middle of rollouts and start again on the same spool; every third
 * answer is lost. At the end what
 * producers wrote down is compared with what came of it.
 * `node --import ./test/run-typescript.mjs test/chaos/producer-chaos.ts --seconds 60 --outage-s 60 --producers 3 [--seed TEXT]
 * [--recorder typescript|python|both] [--naive answers_early|new_ids] [--config FILE] [--keep]`; exit code 1 when anything is wrong.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageFile } from '../../src/config/package-file.ts';
import { findPython, pythonWith } from '../python-with.ts';
import type { Naive } from './producers/lossy-front.ts';
import { type ChaosRun, runProducerChaos } from './producers/run-producer-chaos.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'outage-s': { type: 'string', default: '60' },
    producers: { type: 'string', default: '3' },
    'pause-ms': { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now()) },
    recorder: { type: 'string', default: 'both' },
    naive: { type: 'string' },
    config: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'rollstream-producer-chaos-'));
const began = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
};

async function pythonWithClient(): Promise<string> {
  const found = await findPython();
  if (found === null) throw new Error('there is no Python 3.10 or later: --recorder typescript');
  const client = packageFile('clients', 'python');
  return pythonWith(found, ['-e', `${client}[test]`], await readFile(join(client, 'pyproject.toml'), 'utf8'));
}

const naive = (['answers_early', 'new_ids'] as const).find((name): name is Naive => name === values.naive) ?? null;
const kinds = values.recorder === 'both' ? ['typescript', 'python'] : [values.recorder];
const runs: ChaosRun[] = [];
for (const name of kinds) {
  const python = name === 'python' ? await pythonWithClient() : null;
  runs.push({ name, producers: Number(values.producers), python, naive });
}
say(`seed ${values.seed}, in ${folder}`);
const { wrong, figures } = await runProducerChaos({
  ...{ folder, seed: values.seed, runs, say, pauseMs: Number(values['pause-ms']) },
  ...{ seconds: Number(values.seconds), outageS: Number(values['outage-s']) },
  ...(values.config === undefined ? {} : { config: await readFile(values.config, 'utf8') }),
});
for (const [name, value] of figures) process.stdout.write(`${name.padEnd(34)}${value}\n`);
const lines = [...wrong].flatMap(([run, problems]) => problems.map((problem) => `${run}: ${problem}`));
for (const line of lines.slice(0, 50)) process.stdout.write(`WRONG ${line}\n`);
process.stdout.write(
  lines.length > 0 ? `${lines.length} wrong; seed ${values.seed}\n` : 'nothing is lost, nothing is there twice\n',
);
if (values.keep || lines.length > 0) process.stdout.write(`kept: ${folder}\n`);
else await rm(folder, { recursive: true, force: true });
process.exit(lines.length > 0 ? 1 : 0);
