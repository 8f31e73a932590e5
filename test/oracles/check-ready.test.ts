import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { rollstream } from '../e2e/rollstream.ts';

const script = packageFile('test/oracles/check_ready.py');
const example = (path: string) => packageFile('examples/rollouts', path);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-oracle-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Trajectories that a reader which knows nothing of rollstream found equal to the file's. */
async function compared(format: string, source: string, ready: string): Promise<number> {
  const { stdout } = await promisify(execFile)('python3', [script, format, source, ready]);
  return Number(stdout);
}

it('gives the trainer the ids, masks and sampled logprobs that Python reads from the same file', async () => {
  const files = {
    'nemo-gym': example('kv-nemo/rollouts.jsonl'),
    'strands-env': example('recipe-strands/results.jsonl'),
  };
  for (const [format, source] of Object.entries(files)) {
    const data = join(folder, format);
    await rollstream('import', source, '--data', data, '--json');
    const ready = join(folder, `${format}.jsonl`);
    const { stdout } = await rollstream('ready', '--data', data, '--json');
    await writeFile(ready, stdout);
    const whole = stdout.split('\n').filter((line) => line.includes('"segment_count":1,'));
    expect(await compared(format, source, ready)).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(2);
  }
});

it('notices one changed token id', async () => {
  const source = example('kv-nemo/rollouts.jsonl');
  const ready = join(folder, 'changed.jsonl');
  const { stdout } = await rollstream('ready', '--data', join(folder, 'nemo-gym'), '--json', '--limit', '1');
  await writeFile(
    ready,
    stdout.replace(/"token_ids":\[(\d+)/, (_, id: string) => `"token_ids":[${Number(id) + 1}`),
  );
  await expect(compared('nemo-gym', source, ready)).rejects.toThrow('differs from');
});
