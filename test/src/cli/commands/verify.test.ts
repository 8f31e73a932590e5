import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Unjudged, writeUnjudged } from '../../verify/unjudged-lines.ts';
import { cli, startCli } from '../test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function importRollouts(data: string, name: string, rollouts: readonly Unjudged[], keepOpen = true) {
  const file = writeUnjudged(join(folder, `${name}.jsonl`), rollouts);
  const { code, stderr } = await cli(['import', file, ...(keepOpen ? ['--keep-open'] : []), '--data', data]);
  expect(code, stderr).toBe(0);
}

async function rows<Row>(data: string, sql: string): Promise<Row[]> {
  const { stdout } = await cli(['query', sql, '--json', '--data', data]);
  return JSON.parse(stdout);
}

const DECISIONS = `SELECT rollout_id, disposition, reward, verifier_status FROM rollstream.live_decisions ORDER BY rollout_id`;

describe('what has ended and lacks a verdict', () => {
  const data = () => join(folder, 'own');

  it('is judged and decided, once; what is open or cannot be judged stays as it is', async () => {
    await importRollouts(data(), 'own', [
      { run: 'a', rollout: 'right', response: '42', answer: '42' },
      { run: 'a', rollout: 'wrong', response: '41', answer: '42' },
      { run: 'a', rollout: 'lost', response: null, answer: '42' },
      { run: 'a', rollout: 'running', response: '42', answer: '42', isOpen: true },
      { run: 'b', rollout: 'other-run', response: '42', answer: '42' },
    ]);
    const verify = ['verify', '--once', '--verifier', 'exact', '--run', 'a', '--json', '--data', data()];
    const { code, stdout, stderr } = await cli(verify);
    expect(code, stderr).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ scorer: 'exact', version: '1', done: 3, cached: 0, by_status: { scored: 2, refused: 1 } },
      refused: [{ reason: 'observation_lost', detail: 'call_without_text', n: 1, rollouts: ['lost'] }],
    });
    const decided = { disposition: 'train', verifier_status: 'scored' };
    expect(await rows(data(), DECISIONS)).toEqual([
      { rollout_id: 'right', reward: 1, ...decided },
      { rollout_id: 'wrong', reward: 0, ...decided },
    ]);
    const verdicts = await rows(
      data(),
      'SELECT rollout_id, scorer, scorer_version, late FROM rollstream.live_verdicts ORDER BY rollout_id',
    );
    const verdict = { scorer: 'exact', scorer_version: '1', late: false };
    expect(verdicts).toEqual([
      { rollout_id: 'right', ...verdict },
      { rollout_id: 'wrong', ...verdict },
    ]);
    const again = await cli(verify);
    expect(JSON.parse(again.stdout)).toMatchObject({ done: 1, by_status: { refused: 1 } });
  });

  it('but was decided without is judged by --late; the decision stands', async () => {
    const late = join(folder, 'late');
    await importRollouts(late, 'late', [{ run: 'a', rollout: 'r', response: '42', answer: '42' }], false);
    const before = await rows(late, DECISIONS);
    const once = await cli(['verify', '--once', '--verifier', 'exact', '--json', '--data', late]);
    expect(JSON.parse(once.stdout)).toMatchObject({ done: 0 });
    const { code, stdout } = await cli(['verify', '--once', '--late', '--verifier', 'exact', '--json', '--data', late]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, done: 1, by_status: { scored: 1 } });
    expect(await rows(late, 'SELECT scorer, rewards, late FROM rollstream.live_verdicts')).toEqual([
      { scorer: 'exact', rewards: { reward: 1 }, late: true },
    ]);
    expect(await rows(late, DECISIONS)).toEqual(before);
  });
});

describe('beside a server', () => {
  it('it follows what ends, through an outage, keeps its answers there, and ends when it is told to', async () => {
    const data = ['--data', join(folder, 'served')];
    let server = startCli(['up', '--port', '0', ...data]);
    try {
      const url = (await server.said(/serving at (\S+)/))[1] ?? '';
      const verifier = startCli(['verify', '--verifier', 'exact', '--interval', '100ms', '--json', ...data]);
      await verifier.said(/judging by exact/);
      const rollouts = ['1', '2'].map((rollout) => ({ run: 's', rollout, response: '42', answer: '42' }));
      await importRollouts(join(folder, 'served'), 'served', rollouts);
      const reward = () => rows(join(folder, 'served'), DECISIONS);
      await expect.poll(reward, { timeout: 30_000, interval: 200 }).toHaveLength(2);
      const port = new URL(url).port;
      server.interrupt();
      await server.code;
      await verifier.said(/does not work; waiting for it/);
      server = startCli(['up', '--port', port, ...data]);
      await server.said(/serving at/);
      await importRollouts(join(folder, 'served'), 'served-2', [
        { run: 's', rollout: '3', response: '4', answer: '42' },
      ]);
      await expect.poll(reward, { timeout: 60_000, interval: 200 }).toHaveLength(3);
      verifier.interrupt();
      expect(await verifier.code).toBe(0);
      const told: { done: number; cached: number }[] = (await verifier.stdout())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(told.reduce((sum, { done }) => sum + done, 0)).toBe(3);
      // The first two have one content.
      expect(await rows(join(folder, 'served'), 'SELECT status FROM rollstream.verifier_results FINAL')).toEqual([
        { status: 'scored' },
        { status: 'scored' },
      ]);
    } finally {
      server.interrupt();
      await server.code;
    }
  });
});

it('a verifier that cannot be one is refused by name before a data folder is made', async () => {
  const data = join(folder, 'none');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--verifier', 'numeric:x'], /verifier: numeric:x has no tolerance/],
    [['--verifier', "sh -c 'x"], /verifier: the command has a ' that is not closed/],
    [['--verifier', 'https://127.0.0.1:9/judge'], /verifier-version: needed for a URL/],
    [['--verifier', 'exact', '--interval', '2'], /a duration from 100ms/],
    [['--verifier', '  '], /verifier: a command/],
    [['--verifier', './no/such/file'], /cannot be started|verifier-version: needed/],
    [[], /--verifier/],
  ];
  for (const [flags, message] of cases) {
    const { code, stderr } = await cli(['verify', '--once', ...flags, '--data', data]);
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(message);
  }
  expect(existsSync(data)).toBe(false);
});

it('to wait is of one round', async () => {
  const { code, stderr } = await cli(['verify', '--verifier', 'exact', '--wait', '--data', join(folder, 'none')]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--wait is of --once') });
});
