import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../cli/test-io.ts';

/** Commands on the real pipeline, first without a server, then through one: the answers must be the same. */

const EXAMPLES = packageFile('examples', 'rollouts');
const COUNTS = `select run_id, disposition, count() as n from rollstream.decisions final group by all order by all`;

let folder = '';
let data: string[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-pipeline-'));
  data = ['--data', join(folder, 'data')];
  mkdirSync(join(folder, 'kv'));
  copyFileSync(join(EXAMPLES, 'kv-nemo', 'rollouts.jsonl'), join(folder, 'kv', 'rollouts.jsonl'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Line {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly segments: { token_ids: number[]; sampled_mask: number[]; loss_mask: number[]; logprobs: number[] | null }[];
}

async function lines(...flags: string[]): Promise<Line[]> {
  const { code, stdout } = await cli(['ready', ...flags, ...data]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
}

describe('without a server', () => {
  it('import says what it read and what became of it, as JSON and nothing else', async () => {
    const { code, stdout } = await cli(['import', join(folder, 'kv'), '--json', ...data]);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(['records_read', 'events', 'refused', 'accounting']);
    expect({ code, refused: report.refused }).toEqual({ code: 0, refused: 0 });
    expect(report.accounting.runs).toEqual([expect.objectContaining({ run_id: 'kv', balanced: true, open: 0 })]);
  });

  it('importing it again changes no count', async () => {
    const before = await cli(['query', COUNTS, ...data]);
    const again = await cli(['import', join(folder, 'kv'), '--json', ...data]);
    expect(again.code).toBe(0);
    expect(await cli(['query', COUNTS, ...data])).toEqual(before);
  });

  it('import of a torn line takes the rest, names the line and ends with 4', async () => {
    const torn = join(folder, 'torn');
    mkdirSync(torn);
    const first = readFileSync(join(folder, 'kv', 'rollouts.jsonl'), 'utf8').split('\n')[0] ?? '';
    writeFileSync(join(torn, 'rollouts.jsonl'), `${first}\n${first.slice(0, 100)}`);
    const { code, stdout, stderr } = await cli(['import', torn, '--json', ...data]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/torn\/rollouts\.jsonl:2: /);
    expect(JSON.parse(stdout)).toMatchObject({ refused: 1, records_read: expect.any(Number) });
  });

  it('import from standard input with --dry-run keeps nothing', async () => {
    const text = readFileSync(join(folder, 'kv', 'rollouts.jsonl'), 'utf8');
    const before = await cli(['query', COUNTS, ...data]);
    const dry = await cli(['import', '-', '--dry-run', '--json', '--run', 'dry', ...data], { stdin: text });
    expect(JSON.parse(dry.stdout).events).toBeGreaterThan(0);
    expect(await cli(['query', COUNTS, ...data])).toEqual(before);
  });

  it('ready gives whole trajectories in ready order, as many as asked for', async () => {
    const all = await lines();
    expect(all.length).toBeGreaterThan(2);
    for (const { segments } of all) {
      for (const { token_ids, sampled_mask, loss_mask, logprobs } of segments) {
        expect(sampled_mask).toHaveLength(token_ids.length);
        expect(loss_mask).toHaveLength(token_ids.length);
        if (logprobs !== null) expect(logprobs.map(Math.fround)).toEqual(logprobs);
        if (logprobs !== null) expect(logprobs).toHaveLength(token_ids.length);
      }
    }
    expect(await lines('--limit', '2')).toEqual(all.slice(0, 2));
    expect(await lines('--from', '1', '--limit', '1')).toEqual(all.slice(1, 2));
    expect(await lines('--run', 'kv')).toEqual(all.filter(({ run_id }) => run_id === 'kv'));
    expect(await lines('--run', 'nobody')).toEqual([]);
  });

  it('accounting balances, for a person and as JSON', async () => {
    const text = await cli(['accounting', ...data]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^run +started +=/);
    const json = await cli(['accounting', '--run', 'kv', '--json', ...data]);
    expect(JSON.parse(json.stdout).runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual(['kv']);
  });

  it('query prints each format, and an integer beyond 2^53 with all its digits', async () => {
    const sql = 'select 18446744073709551615 as big, NULL as nothing';
    const print = async (format: string) => (await cli(['query', sql, '--format', format, ...data])).stdout;
    expect(await print('jsonl')).toBe('{"big":18446744073709551615,"nothing":null}\n');
    expect(await print('json')).toBe('[{"big":18446744073709551615,"nothing":null}]\n');
    expect(await print('csv')).toBe('"big","nothing"\n18446744073709551615,\\N\n');
    expect(await print('table')).toBe('                 big  nothing\n18446744073709551615  null\n');
  });

  it('query takes parameters, and refuses what writes with 2', async () => {
    const given = await cli(['query', 'select {x:String} as x', '--param', "x=a'b=c", ...data]);
    expect(given.stdout).toBe('{"x":"a\'b=c"}\n');
    const write = await cli(['query', 'truncate table rollstream.decisions', ...data]);
    expect(write).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/RS_QUERY_REFUSED/) });
  });

  it('query refuses a result above the limit instead of cutting it', async () => {
    const env = { ROLLSTREAM_LIMITS_QUERY_ROWS: '10' };
    const ask = (rows: number) => cli(['query', `select number from numbers(${rows})`, ...data], { env });
    expect(await ask(10)).toMatchObject({ code: 0 });
    expect(await ask(11)).toMatchObject({ code: 2, stdout: '' });
  });

  it('explain of a rollout that nobody knows ends with 1', async () => {
    expect(await cli(['explain', 'nobody', ...data])).toMatchObject({ code: 1, stdout: '' });
  });

  it('following needs a server', async () => {
    expect(await cli(['ready', '--follow', ...data])).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('through a server', () => {
  let server: RunningCli;
  const local = new Map<string, { code: number; stdout: string }>();
  const questions = [
    ['accounting', '--json'],
    ['ready'],
    ['ready', '--limit', '1', '--run', 'kv'],
    ['query', COUNTS],
    ['query', COUNTS, '--format', 'csv'],
    ['query', 'drop table x'],
    ['explain', 'nobody'],
  ];
  beforeAll(async () => {
    const [trajectory] = await lines('--limit', '1');
    questions.push(['explain', trajectory?.rollout_id ?? '', '--json'], ['explain', trajectory?.rollout_id ?? '']);
    for (const argv of questions) local.set(argv.join(' '), await cli([...argv, ...data]));
    server = startCli(['up', '--port', '0', ...data]);
    await server.said(/serving at (\S+)/);
  });
  afterAll(() => server.interrupt());

  it('every question has the answer that it had without', async () => {
    for (const argv of questions) {
      expect(await cli([...argv, ...data]), argv.join(' ')).toEqual(local.get(argv.join(' ')));
    }
  });

  it('explain has the trajectory in the shape of ready, bit for bit', async () => {
    const [ready] = await lines('--limit', '1');
    const { stdout } = await cli(['explain', ready?.rollout_id ?? '', '--run', ready?.run_id ?? '', '--json', ...data]);
    const [rollout] = JSON.parse(stdout).rollouts;
    const trajectories = rollout.attempts.map(({ trajectory }: { trajectory: unknown }) => trajectory);
    expect(trajectories).toContainEqual(ready);
  });

  it('an import goes to the server, and what it refuses is told here', async () => {
    const other = join(folder, 'through-the-server');
    mkdirSync(other);
    copyFileSync(join(folder, 'kv', 'rollouts.jsonl'), join(other, 'rollouts.jsonl'));
    writeFileSync(join(other, 'more.jsonl'), '{"not": "ours"}\n');
    const { code, stdout } = await cli(['import', other, join(other, 'more.jsonl'), '--json', ...data]);
    expect(code).toBe(4);
    const runs: { run_id: string; started: number; ready: number }[] = JSON.parse(stdout).accounting.runs;
    const [kv, sent] = ['kv', 'through-the-server'].map((id) => runs.find(({ run_id }) => run_id === id));
    expect(sent?.started).toBeGreaterThan(0);
    expect({ ...sent, run_id: '' }).toEqual({ ...kv, run_id: '' });
  });

  it('a follower sees what becomes ready, and stops at Ctrl-C with 0', async () => {
    const follower = startCli(['ready', '--follow', '--run', 'followed', ...data]);
    await cli(['import', join(folder, 'kv'), '--run', 'followed', ...data]);
    const wanted = (await lines('--run', 'followed')).length;
    expect(wanted).toBeGreaterThan(0);
    follower.interrupt();
    expect(await follower.code).toBe(0);
  });

  it('a second server is refused with 3 and told where the first is', async () => {
    const second = await cli(['up', '--port', '0', ...data]);
    expect(second).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/pid \d+ owns .* http:\/\/127\.0\.0\.1:\d+/),
    });
  });

  it('Ctrl-C ends it with 0, and the folder can be opened again', async () => {
    server.interrupt();
    expect(await server.code).toBe(0);
    expect((await cli(['accounting', ...data])).code).toBe(0);
  });
});

describe('up --once', () => {
  it('with nothing new reads nothing and says so in JSON', async () => {
    const { code, stdout } = await cli(['up', '--once', '--json', ...data]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ records_read: 0, events: 0, refused: 0 });
  });

  it('--example prints the report, twice the same, and the second time that nothing changed', async () => {
    const example = ['up', '--example', '--once', '--data', join(folder, 'example')];
    const first = await cli(example);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/attempts in \d+ runs[\s\S]*→ ready[\s\S]*Reward by category[\s\S]*explain /);
    const second = await cli(example);
    expect(second.code).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    expect(first.stderr).not.toContain('nothing has changed');
    expect(second.stderr).toContain('nothing has changed');
  });
});
