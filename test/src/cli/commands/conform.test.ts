import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, startCli } from '../test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-conform-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('conform', () => {
  it('serves with the tokenizer that is installed, and logs what it knows of each call', async () => {
    const port = await freePort();
    const running = startCli(
      ['conform', '--listen', `127.0.0.1:${port}`, '--scenario', 'honest,two_eos', '--calls', 'glm', '--json'],
      {
        cwd: folder,
      },
    );
    const [, url = ''] = await running.said(/at (http:\S+); its log/);
    const ask = (content: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      });
    expect((await ask('[[rollstream:two_eos#4]]')).status).toBe(200);
    // Not played here.
    expect((await ask('[[rollstream:storm_503#4]]')).status).toBe(400);
    running.interrupt();
    expect(await running.code).toBe(0);
    expect(JSON.parse(await running.stdout())).toMatchObject({ url });
    const lines = readFileSync(join(folder, 'rollstream-conform.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { rollstream_conform: 1, scenarios: ['honest', 'two_eos'], calls: 'glm' },
      { scenario: 'two_eos', task: 4, status: 200 },
    ]);
  });

  it('listens to others only with a token', async () => {
    const { code, stderr } = await cli(['conform', '--listen', '0.0.0.0:8200'], { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringContaining('http.token')]);
    expect(existsSync(join(folder, 'rollstream-conform.jsonl.1'))).toBe(false);
  });

  it('refuses an address, a scenario and a tokenizer that are none', async () => {
    for (const argv of [
      ['--listen', 'nowhere'],
      ['--listen', '127.0.0.1:99999'],
      ['--scenario', 'x'],
      ['--calls', 'x'],
      ['--tokenizer', 'x'],
    ])
      expect((await cli(['conform', ...argv], { cwd: folder })).code, argv.join(' ')).toBe(2);
  });
});

describe('conform tasks', () => {
  it('are JSON Lines, each with its marker, so many of each scenario', async () => {
    const { code, stdout } = await cli(['conform', 'tasks', '--scenario', 'honest,think_call', '--per-scenario', '2']);
    expect(code).toBe(0);
    const tasks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(tasks.map(({ task_id }) => task_id)).toEqual(['honest#0', 'honest#1', 'think_call#0', 'think_call#1']);
    for (const { task_id, scenario, prompt, tools } of tasks) {
      expect(prompt).toContain(`[[rollstream:${task_id}]]`);
      expect(task_id).toContain(scenario);
      expect(tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(['search', 'calculator']);
    }
  });

  it('are of all scenarios that test a stack where none is named', async () => {
    const { stdout } = await cli(['conform', 'tasks']);
    expect((await cli(['conform', 'tasks', '--scenario', 'all'])).stdout).toBe(stdout);
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).scenario);
    expect(names.length).toBe(18);
    expect(names).not.toContain('random');
    expect((await cli(['conform', 'tasks', '--scenario', 'x'])).code).toBe(2);
  });
});
