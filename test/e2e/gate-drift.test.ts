import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbeddedBroker } from '../../src/broker/embedded/open-embedded-broker.ts';
import { LOG_FOLDER } from '../../src/config/data-folders.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { topicNames } from '../../src/config/topics.ts';
import { gateScenario } from './gate-scenario.ts';
import { GATE_KEYS, gatePolicy, recordsOf, startWorker } from './gate-world.ts';
import { endPrograms } from './program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-gate-drift-'));
});
afterEach(async () => {
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
});

it('a run that drifts is held and released, in order and once, whatever is killed; a preflight holds a bad run and lets a good one through', async () => {
  const [policy, config, data] = ['policy.yaml', 'rollstream.yaml', 'data'].map((name) => join(folder, name));
  const shipped = await readFile(packageFile('processors', 'decide', 'policies', 'default.yaml'), 'utf8');
  await writeFile(`${policy}`, gatePolicy(shipped));
  // JSON is YAML.
  await writeFile(`${config}`, JSON.stringify({ ...GATE_KEYS, partitions: 4, policy_file: policy }));
  const args = ['--config', `${config}`, '--data', `${data}`];
  let worker = await startWorker(args);
  await gateScenario({
    folder,
    args,
    workers: () => [worker],
    async kill({ child, ended }) {
      child.kill('SIGKILL');
      await ended;
      worker = await startWorker(args);
    },
    async topics() {
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toMatchObject({ code: 0 });
      const broker = await openEmbeddedBroker({ folder: join(`${data}`, LOG_FOLDER), now: Date.now });
      const { held, ready } = topicNames('');
      const found = { held: await recordsOf(broker, held), ready: await recordsOf(broker, ready) };
      await broker.close();
      return found;
    },
  });
}, 300_000);
