/**
 * Kafka, a registry, ClickHouse, a server and trainers; a replay that repairs a wrong verifier is killed with -9 while it scores and
 * while it emits, and gone on with. Then what the trainers hold is compared with what was sent, and with the books.
 * `node --import ./test/run-typescript.mjs test/chaos/replay-chaos.ts [--rounds 4] [--kills 12] [--seed TEXT] [--keep]`; exit code 1
 * when anything is wrong.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.ts';
import { runReplayChaos } from './replay/run-replay-chaos.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    /** Of a round while it emits; a third as many while it scores. */
    kills: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Date.now()) },
    keep: { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'rollstream-replay-chaos-'));
const began = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
};
say(`seed ${values.seed}, in ${folder}`);
await mkdir(join(folder, 'services'));
const services = await startCluster(join(folder, 'services'));
const emitting = Number(values.kills);
const wrong: string[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  // A store of its own each time would be a cluster of its own: the runs of a round have names of their own instead.
  const own = join(folder, `round-${round}`);
  await mkdir(own);
  const outcome = await runReplayChaos({
    ...{ services, folder: own, prefix: '', runNames: `round-${round}-`, runs: 12, groups: 20, say },
    ...{ kills: { scoring: Math.ceil(emitting / 3), emitting }, seed: `${values.seed} ${round}` },
  });
  wrong.push(...outcome.wrong);
  for (const [name, value] of outcome.figures) process.stdout.write(`${name.padEnd(44)}${value}\n`);
}
await services.close();
for (const line of wrong.slice(0, 50)) process.stdout.write(`WRONG ${line}\n`);
process.stdout.write(
  wrong.length > 0
    ? `${wrong.length} wrong; seed ${values.seed}\n`
    : 'each group is in the weights once, whole, as it was sent, with the right reward where it came in time\n',
);
if (values.keep || wrong.length > 0) process.stdout.write(`kept: ${folder}\n`);
else await rm(folder, { recursive: true, force: true });
process.exit(wrong.length > 0 ? 1 : 0);
