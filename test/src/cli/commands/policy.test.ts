import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../test-io.ts';

let folder = '';
let data: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-policy-'));
  data = ['--data', join(folder, 'data')];
  mkdirSync(join(folder, 'files-events'));
  copyFileSync(packageFile('examples/rollouts/files-events/steps.jsonl'), join(folder, 'files-events', 'steps.jsonl'));
  expect((await cli(['import', join(folder, 'files-events'), ...data])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function json(...argv: readonly string[]) {
  const { code, stdout, stderr } = await cli([...argv, '--json', ...data]);
  expect(stderr).toBe('');
  return { code, answer: JSON.parse(stdout) };
}

const counts = async (): Promise<Record<string, number>> => {
  const { stdout } = await cli([
    ...['query', 'select disposition, count() n from rollstream.live_decisions group by all order by all'],
    ...['--format', 'json', ...data],
  ]);
  const rows: { disposition: string; n: number }[] = JSON.parse(stdout);
  return Object.fromEntries(rows.map(({ disposition, n }) => [disposition, Number(n)]));
};

/** The default policy but for its name and what becomes of a completion: masked. */
async function masking(name: string): Promise<string> {
  const { stdout } = await cli(['policy', 'show', 'default', '--quiet']);
  const file = join(folder, `${name}.yaml`);
  const text = stdout
    .replace('name: default', `name: ${name}`)
    .replace('completion: { disposition: train,', 'completion: { disposition: train_masked,');
  writeFileSync(file, text);
  return file;
}

describe('policy check', () => {
  it('of a sound policy is 0, of another 1, with every problem where it stands', async () => {
    expect((await json('policy', 'check', 'dapo')).answer).toMatchObject({ ok: true, name: 'dapo', problems: [] });
    const file = join(folder, 'wrong.yaml');
    const { stdout } = await cli(['policy', 'show', 'default', '--quiet']);
    writeFileSync(file, stdout.replace('  refusal:', '  refusl:').replace('retries: 2', 'retries: -2'));
    const first = await cli(['policy', 'check', file]);
    expect(first).toMatchObject({ code: 1, stderr: '' });
    expect(first.stdout).toMatch(/^.*wrong\.yaml:\d+: retries: expected a whole number from 0 on, got -2\n$/);
    writeFileSync(file, stdout.replace('  refusal:', '  refusl:'));
    expect((await cli(['policy', 'check', file])).stdout).toMatch(
      /wrong\.yaml:\d+: codes\.refusl: expected a code of the taxonomy, got refusl \(did you mean refusal\?\)\n$/,
    );
  });

  it('of a name that nobody has is not found, with the nearest', async () => {
    const { code, stderr } = await cli(['policy', 'check', 'dappo']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: no policy is called dappo, and no file (did you mean dapo?) [RS_NOT_FOUND]\n',
    });
  });
});

describe('policy diff', () => {
  it('says what each code would do under both, and no more', async () => {
    const { answer } = await json('policy', 'diff', 'default', 'dapo');
    const where = ({ where, field }: { where: string; field: string }) => `${where}.${field}`;
    expect(answer.changes.map(where)).toContain('.group.zero_variance');
    expect(answer.changes.find((change: { field: string }) => change.field === 'group.zero_variance')).toEqual({
      ...{ where: '', field: 'group.zero_variance', a: 'pass', b: 'drop' },
    });
    expect(answer.changes.find((change: { field: string }) => change.field === 'reward.soft_overlong')).toMatchObject({
      ...{ a: 'null', b: '{"max_tokens":20480,"buffer_tokens":4096,"penalty":1}' },
    });
    // A completion is the same under both.
    expect(answer.changes.filter((change: { where: string }) => change.where === 'codes.task_complete')).toEqual([]);
    expect((await cli(['policy', 'diff', 'dapo', 'dapo'])).stdout).toBe('dapo and dapo decide alike\n');
  });

  it('and try refuse what check refuses, rather than compare what nobody could apply', async () => {
    const file = join(folder, 'unknown.yaml');
    const { stdout } = await cli(['policy', 'show', 'default', '--quiet']);
    writeFileSync(file, stdout.replace('  refusal:', '  refusl:'));
    for (const argv of [
      ['policy', 'diff', 'default', file],
      ['policy', 'try', file, '--run', 'files-events', ...data],
    ]) {
      const { code, stderr } = await cli(argv);
      expect(code).toBe(2);
      expect(stderr).toMatch(/unknown\.yaml:\d+: codes\.refusl: expected a code of the taxonomy, got refusl/);
    }
  });
});

describe('policy try', () => {
  it('of the policy that decided changes nothing', async () => {
    const { answer } = await json('policy', 'try', 'default', '--run', 'files-events');
    expect(answer).toMatchObject({ changed: 0, changes: [], unseen: [] });
    expect(answer.same + answer.not_recomputed.reduce((sum: number, { n }: { n: number }) => sum + n, 0)).toBe(
      answer.decisions,
    );
  });

  it('says what would change, by reason and count, and what it cannot know', async () => {
    const file = await masking('masking');
    const { answer } = await json('policy', 'try', file, '--run', 'files-events');
    const { stdout } = await cli([
      ...[
        'query',
        "select count() n from rollstream.live_decisions where category = 'completion' and disposition = 'train'",
      ],
      ...['--format', 'csv', ...data],
    ]);
    const trained = Number(stdout.split('\n')[1]);
    expect(trained).toBeGreaterThan(0);
    const changes: { from: string; to: string; rule: string; n: number }[] = answer.changes;
    expect(changes.filter(({ from }) => from === 'train').reduce((sum, { n }) => sum + n, 0)).toBe(trained);
    for (const change of changes) expect(change).toMatchObject({ to: 'train_masked', rule: 'categories.completion' });
    expect((await json('policy', 'try', 'strict', '--run', 'files-events')).answer.unseen).toEqual([
      'groups: advantages, groups without spread, min_valid and on_fault',
      'staleness: what its lag was when it was decided',
    ]);
  });

  it('sums rewards again where the policy makes others of the same scores', async () => {
    const file = join(folder, 'pays.yaml');
    const { stdout } = await cli(['policy', 'show', 'default', '--quiet']);
    writeFileSync(
      file,
      stdout.replace('completion: { disposition: train,', 'completion: { penalty: -0.5, disposition: train,'),
    );
    const { answer } = await json('policy', 'try', file, '--run', 'files-events');
    const { stdout: rows } = await cli([
      'query',
      `select countIf(category = 'completion') n, avg(reward) mean, avg(reward - if(category = 'completion', 0.5, 0)) less
      from rollstream.live_decisions where reward is not null`,
      ...['--format', 'json', ...data],
    ]);
    const [oracle]: { n: number; mean: number; less: number }[] = JSON.parse(rows);
    expect(answer).toMatchObject({ changed: 0, rewards: { changed: Number(oracle?.n) } });
    expect(answer.rewards.mean_before).toBeCloseTo(oracle?.mean ?? Number.NaN, 9);
    expect(answer.rewards.mean_after).toBeCloseTo(oracle?.less ?? Number.NaN, 9);
  });

  it('knows how long each rollout was where the policy asks for it', async () => {
    const file = join(folder, 'short.yaml');
    const { stdout } = await cli(['policy', 'show', 'default', '--quiet']);
    writeFileSync(file, `${stdout}reward: { soft_overlong: { max_tokens: 150, buffer_tokens: 100 } }\n`);
    const { answer } = await json('policy', 'try', file, '--run', 'files-events');
    const { stdout: rows } = await cli([
      'query',
      `select countIf(n_sampled_tokens > 50) n,
        avg(reward + if(n_sampled_tokens <= 50, 0, greatest(-1, (50 - n_sampled_tokens) / 100))) less
      from rollstream.live_decisions where reward is not null`,
      ...['--format', 'json', ...data],
    ]);
    const [oracle]: { n: number; less: number }[] = JSON.parse(rows);
    expect(Number(oracle?.n)).toBeGreaterThan(0);
    expect(answer.rewards.changed).toBe(Number(oracle?.n));
    expect(answer.rewards.mean_after).toBeCloseTo(oracle?.less ?? Number.NaN, 9);
  });

  it('is answered by the server that owns the data as without one', async () => {
    const file = await masking('served');
    const alone = await json('policy', 'try', file, '--run', 'files-events');
    const server: RunningCli = startCli(['up', '--port', '0', ...data], {});
    await server.said(/serving at (\S+)/);
    expect(await json('policy', 'try', file, '--run', 'files-events')).toEqual(alone);
    server.interrupt();
    expect(await server.code).toBe(0);
  });

  it('of a run that nobody has used is not found', async () => {
    expect((await cli(['policy', 'try', 'dapo', '--run', 'nobody', ...data])).code).toBe(1);
  });
});

describe('policy apply', () => {
  it('decides what closes from then on, also after a restart, and what was decided before stays', async () => {
    const before = await counts();
    const file = await masking('applied');
    const { code, answer } = await json('policy', 'apply', file);
    expect({ code, partitions: answer.partitions }).toEqual({ code: 0, partitions: 1 });
    expect(await counts()).toEqual(before);
    // Another process: it goes on with what was applied, not with what is shipped.
    mkdirSync(join(folder, 'again'), { recursive: true });
    copyFileSync(packageFile('examples/rollouts/calculator-eval/steps.jsonl'), join(folder, 'again', 'steps.jsonl'));
    expect((await cli(['import', join(folder, 'again'), ...data])).code).toBe(0);
    const { stdout } = await cli([
      ...['query', 'select distinct run_id, policy_id from rollstream.live_decisions order by all', '--format', 'json'],
      ...data,
    ]);
    const ids: { run_id: string; policy_id: string }[] = JSON.parse(stdout);
    expect(ids.filter(({ run_id }) => run_id !== 'files-events').map(({ policy_id }) => policy_id)).toEqual([
      answer.policy_id,
    ]);
    expect(ids.find(({ run_id }) => run_id === 'files-events')?.policy_id).toBe(answer.before);
    const shown = await json('policy', 'show');
    expect(shown.answer).toMatchObject({ policy_id: answer.policy_id, name: 'applied' });
    const listed = await json('policy', 'list');
    const applied = listed.answer.policies.find(({ name }: { name: string }) => name === 'applied');
    expect(applied).toMatchObject({ policy_id: answer.policy_id, shipped: false });
    expect(applied.applied_at).toMatch(/^\d{4}-/);
    expect(applied.decisions).toBeGreaterThan(0);
  });

  it('is refused while policy_file is set, naming the key', async () => {
    const { code, stderr } = await cli(['policy', 'apply', 'dapo', ...data], {
      env: { ROLLSTREAM_POLICY_FILE: 'strict' },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: policy_file names .*strict\.yaml/);
  });

  it('goes to the server that owns the data, and is in force there', async () => {
    const server: RunningCli = startCli(['up', '--port', '0', ...data], {});
    await server.said(/serving at (\S+)/);
    const { code, answer } = await json('policy', 'apply', 'dapo');
    expect({ code, name: answer.name }).toEqual({ code: 0, name: 'dapo' });
    expect((await json('policy', 'show')).answer.name).toBe('dapo');
    const wrong = await cli(['policy', 'apply', packageFile('package.json'), ...data]);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    server.interrupt();
    expect(await server.code).toBe(0);
  });
});
