/**
 * Kafka, a registry, ClickHouse, two servers, a producer and two trainers; the server that grants and the trainers are killed with -9.
 * Then what the trainers hold is compared with what was sent, and with the books.
 * `node --import ./test/run-typescript.mjs test/chaos/delivery-chaos.ts --kills 24 [--seed TEXT] [--rate EVENTS/S] [--keep]`; exit
 * code 1 when anything is wrong.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.ts';
import { runDeliveryChaos } from './delivery/run-delivery-chaos.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now()) },
    rate: { type: 'string', default: '80' },
    keep: { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'rollstream-delivery-chaos-'));
const began = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
};
say(`seed ${values.seed}, in ${folder}`);
await mkdir(join(folder, 'services'));
const services = await startCluster(join(folder, 'services'));
const { kills, seed, rate } = { kills: Number(values.kills), seed: values.seed, rate: Number(values.rate) };
const { wrong, figures } = await runDeliveryChaos({ services, folder, prefix: '', kills, seed, rate, say });
await services.close();
for (const [name, value] of figures) process.stdout.write(`${name.padEnd(44)}${value}\n`);
for (const line of wrong.slice(0, 50)) process.stdout.write(`WRONG ${line}\n`);
process.stdout.write(
  wrong.length > 0
    ? `${wrong.length} wrong; seed ${values.seed}\n`
    : 'what is in the weights was sent, each trajectory once, and is what the books say\n',
);
if (values.keep || wrong.length > 0) process.stdout.write(`kept: ${folder}\n`);
else await rm(folder, { recursive: true, force: true });
process.exit(wrong.length > 0 ? 1 : 0);
