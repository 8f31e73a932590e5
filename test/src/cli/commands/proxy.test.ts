import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type ScriptedUpstream, startUpstream } from '../../proxy/scripted-upstream.ts';
import { cli, startCli } from '../test-io.ts';

let folder = '';
let upstream: ScriptedUpstream;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-proxy-cli-'));
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

describe('proxy', () => {
  it('passes calls on while no server is there, keeps what it recorded, and ends when it is told to', async () => {
    upstream.answer = (res, { body }) => res.end(body);
    const argv = [
      '--upstream',
      upstream.url.href,
      '--listen',
      '127.0.0.1:0',
      '--engine',
      'openai',
      '--server',
      'http://127.0.0.1:9',
    ];
    const running = startCli(['proxy', ...argv, '--state', 'state', '--json'], { cwd: folder });
    const [, url = ''] = await running.said(/(http:\S+) stands in front of/);
    const { body } = await ask(`${url}/r/run/a/v1/chat/completions`, { method: 'POST', body: '{"messages":[]}' });
    expect(body).toBe('{"messages":[]}');
    await expect
      .poll(async () => JSON.parse((await ask(`${url}/rollstream/status`)).body).recording, { timeout: 30_000 })
      .toMatchObject({ open_rollouts: 1, waiting_calls: 0 });
    running.interrupt();
    await running.said(/(\d) events wait in \S+state for the next .+: \1 of run "run" \(fetch failed/);
    expect(await running.code).toBe(0);
    expect(JSON.parse(await running.stdout())).toEqual({ url, upstream: upstream.url.href });
    expect(readdirSync(join(folder, 'state', 'calls'))).toEqual([]);
  });

  it('refuses what cannot work, before it touches anything', async () => {
    writeFileSync(join(folder, 'short.token'), 'short\n');
    for (const [argv, why] of [
      [['--upstream', 'engine:8000'], /--upstream: http:\/\/ or https/],
      [['--upstream', 'http://engine:8000/v1'], /--upstream: leave out \/v1/],
      [['--upstream', 'http://engine', '--listen', '0.0.0.0:8100'], /can be reached by others: give --token-file/],
      [['--upstream', 'http://engine', '--listen', 'nowhere'], /--listen/],
      [['--upstream', 'http://engine', '--token-file', 'none'], /the token cannot be read/],
      [['--upstream', 'http://engine', '--token-file', 'short.token'], /16 or more/],
      [['--upstream', 'http://engine', '--run', 'a\nb'], /--run: .*control character/],
      [['--upstream', 'http://engine', '--idle', '15'], /a duration from/],
      [['--upstream', 'http://engine', '--max-body', '1'], /a size from/],
      [['--upstream', 'http://engine', '--engine', 'tgi'], /sglang/],
      [[], /--upstream/],
    ] as const) {
      const { code, stderr } = await cli(['proxy', '--state', 'untouched', ...argv], { cwd: folder });
      expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
    }
    expect(existsSync(join(folder, 'untouched'))).toBe(false);
  });
});
