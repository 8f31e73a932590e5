import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { cli } from '../test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-doctor-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function doctor(data: string): Promise<{ code: number; checks: Record<string, string> }> {
  const { code, stdout } = await cli(['doctor', '--json', '--data', data]);
  const { checks }: { checks: Array<{ name: string; status: string }> } = JSON.parse(stdout);
  return { code, checks: Object.fromEntries(checks.map(({ name, status }) => [name, status])) };
}

it('of a folder that does not exist yet looks at the one above, and leaves nothing behind', async () => {
  const data = join(folder, 'not', 'there');
  expect(await doctor(data)).toEqual({
    code: 0,
    checks: { 'data folder': 'ok', disk: 'ok', owner: 'ok', 'blob folder': 'ok' },
  });
  expect(existsSync(join(folder, 'not'))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

it('opens the store of a folder that nobody works on', async () => {
  const data = join(folder, 'data');
  const example = packageFile('examples', 'rollouts', 'recipe-strands', 'results.jsonl');
  expect((await cli(['import', example, '--data', data])).code).toBe(0);
  expect(await doctor(data)).toEqual({
    code: 0,
    checks: { 'data folder': 'ok', disk: 'ok', owner: 'ok', 'blob folder': 'ok', store: 'ok' },
  });
});

it('says what is wrong and what to do, and ends with 1', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const { code, stdout } = await cli(['doctor', '--data', file]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail +data folder: ENOTDIR.*\n +fix: take a folder on a local disk with --data$/m);
});

it('ends with 3 where a service of the cluster cannot be reached, each with what to check', async () => {
  // Port 1 of this machine: nobody listens there.
  const env = {
    ROLLSTREAM_KAFKA_BROKERS: '127.0.0.1:1',
    ROLLSTREAM_REGISTRY_URL: 'http://127.0.0.1:1',
    ROLLSTREAM_CLICKHOUSE_URL: 'http://127.0.0.1:1',
  };
  const { code, stdout } = await cli(['doctor', '--json'], { env, cwd: folder });
  const { checks }: { checks: Array<{ name: string; status: string; fix: string }> } = JSON.parse(stdout);
  expect(code).toBe(3);
  expect(checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
    'broker 127.0.0.1:1: unreachable',
    'subject rollout.steps-value: unreachable',
    'clickhouse: unreachable',
  ]);
  for (const { fix } of checks) expect(fix).toMatch(/^see that it runs and listens there/);
});

it('commands of a cluster refuse to run without one, and say what to set', async () => {
  for (const command of [
    ['topics', 'plan'],
    ['schemas', 'register'],
  ]) {
    const { code, stderr } = await cli(command, { cwd: folder });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('set kafka.brokers') });
  }
});
