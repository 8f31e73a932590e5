import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { jsonLines } from '../../../e2e/json-lines.ts';
import { cli, type RunningCli, startCli } from '../test-io.ts';

/** An interpreter that has pyarrow: a reader of Parquet that is not the engine which wrote it. */
const python = process.env.ROLLSTREAM_TEST_PYTHON ?? 'python3';
const hasPyarrow = spawnSync(python, ['-c', 'import pyarrow.parquet']).status === 0;
const RUNS = ['calculator-strands', 'files-events', 'kv-nemo'];

let folder = '';
let data: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-export-'));
  data = ['--data', join(folder, 'data')];
  const files = ['calculator-strands/results', 'files-events/steps', 'kv-nemo/rollouts'];
  const paths = files.map((file) => packageFile('examples', 'rollouts', `${file}.jsonl`));
  // Some lines of the examples are torn.
  expect((await cli(['import', ...paths, ...data])).code).toBe(4);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Line {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly disposition: string;
  readonly segments: { token_ids: number[]; loss_mask: number[]; logprobs: number[] | null }[];
}

const byRollout = (one: Line, other: Line) =>
  `${one.run_id} ${one.rollout_id} ${one.attempt}`.localeCompare(
    `${other.run_id} ${other.rollout_id} ${other.attempt}`,
  );

/** From the ready topic: another way than the store's. */
async function ready(run: string): Promise<Line[]> {
  return jsonLines<Line>((await cli(['ready', '--run', run, ...data])).stdout).sort(byRollout);
}

async function exported(name: string, ...flags: string[]) {
  const out = join(folder, name);
  const ran = await cli(['export', '--out', out, ...flags, ...data]);
  return { ...ran, out };
}

describe('without a server', () => {
  it('jsonl: a file a run, each line to the bit as `ready` prints it', async () => {
    const { code, stdout, out } = await exported('jsonl', '--format', 'jsonl');
    expect(code).toBe(0);
    expect(readdirSync(out).sort()).toEqual(RUNS.map((run) => `${run}.jsonl`));
    expect(stdout).toBe(RUNS.map((run) => `${join(out, `${run}.jsonl`)}\n`).join(''));
    for (const run of RUNS) {
      const lines = jsonLines<Line>(readFileSync(join(out, `${run}.jsonl`), 'utf8'));
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.sort(byRollout)).toEqual(await ready(run));
    }
  });

  it('--all: also what was not trained; what was superseded has no trajectory, and is counted', async () => {
    const { code, stdout, stderr, out } = await exported('all', '--all', '--format', 'jsonl', '--run', 'files-events');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(out, 'files-events.jsonl')}\n` });
    expect(stderr).toContain('files-events: left out 1: superseded\n');
    const { runs } = JSON.parse((await cli(['accounting', '--run', 'files-events', '--json', ...data])).stdout);
    const lines = jsonLines<Line>(readFileSync(join(out, 'files-events.jsonl'), 'utf8'));
    expect(lines).toHaveLength(runs[0].started - runs[0].superseded);
    expect(new Set(lines.map(({ disposition }) => disposition))).toContain('retry');
  });

  it('parquet: the engine that wrote it reads the same token ids, masks and logprobs', async () => {
    const { code, out } = await exported('parquet');
    expect(code).toBe(0);
    const written = await readByEngine(join(out, 'files-events.parquet'));
    const lines = await ready('files-events');
    expect(written.sort(byRollout)).toEqual(
      lines.map(({ run_id, rollout_id, attempt, disposition, segments }) => ({
        ...{ run_id, rollout_id, attempt, disposition },
        segments: segments.map(({ token_ids, loss_mask, logprobs }) => ({
          ...{ token_ids, loss_mask },
          logprobs: logprobs ?? [],
        })),
      })),
    );
  });

  if (hasPyarrow)
    it('parquet: pyarrow reads all that jsonl has', async () => {
      const { out } = await exported('pyarrow');
      await exported('pyarrow', '--format', 'jsonl');
      const args = [packageFile('test', 'oracles', 'parquet_is_jsonl.py'), out];
      const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'files: 3\n', stderr: '' });
    });
  else process.stderr.write(`${python} has no pyarrow: its reading of Parquet was not tried\n`);

  it('messages: a conversation a line; a hole in one is no conversation, and is counted', async () => {
    const { code, stderr, out } = await exported('messages', '--format', 'messages', '--all', '--json');
    expect(code).toBe(0);
    expect(stderr).toContain('files-events: left out 4: tool_result_without_text\n');
    const [strands] = jsonLines<{ messages: { role: string; content: string }[] }>(
      readFileSync(join(out, 'calculator-strands.messages.jsonl'), 'utf8'),
    );
    expect(strands?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(strands?.messages[2]).toEqual({
      role: 'tool',
      content: '718.7',
      tool_call_id: 'call_0000',
      name: 'calculator',
    });
  });

  it('a file that is there stays, unless it is to be replaced, and nothing half is left', async () => {
    const { out } = await exported('again', '--run', 'kv-nemo', '--format', 'jsonl');
    const path = join(out, 'kv-nemo.jsonl');
    const before = readFileSync(path);
    writeFileSync(path, 'mine');
    const refused = await exported('again', '--format', 'jsonl');
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/kv-nemo\.jsonl is there already/),
    });
    expect(readdirSync(out)).toEqual(['kv-nemo.jsonl']);
    expect((await exported('again', '--run', 'kv-nemo', '--format', 'jsonl', '--force')).code).toBe(0);
    expect(readFileSync(path)).toEqual(before);
  });

  it('a run that nobody knows is an error, and makes no file', async () => {
    const { code, stderr, out } = await exported('nobody', '--run', '../kv-nemo');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/\[RS_NOT_FOUND\]/) });
    expect(readdirSync(out)).toEqual([]);
    expect(existsSync(join(folder, 'kv-nemo.parquet'))).toBe(false);
  });

  it('an output folder that is a file is told', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await exported('file')).toMatchObject({ code: 2, stderr: expect.stringMatching(/no folder can be made/) });
  });

  it.runIf(process.platform === 'linux')('so is one where nobody can make a folder', async () => {
    const out = ['--out', '/proc/nope'];
    expect(await cli(['export', ...out, ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--out \/proc\/nope: no folder can be made there/),
    });
    expect(await cli(['accounting', '--data', '/proc/nope'])).toMatchObject({ code: 2 });
  });
});

describe('through a server', () => {
  let server: RunningCli;
  let url = '';
  beforeAll(async () => {
    server = startCli(['up', '--port', '0', ...data]);
    url = (await server.said(/serving at (\S+)/))[1] ?? '';
  });
  afterAll(async () => {
    server.interrupt();
    await server.code;
  });

  it('the same files', async () => {
    for (const format of ['jsonl', 'messages', 'parquet']) {
      const before = await exported(`${format}-again`, '--format', format, '--all');
      expect(before).toMatchObject({ code: 0 });
      expect(readdirSync(before.out)).toHaveLength(3);
    }
    expect(readFileSync(join(folder, 'jsonl-again', 'files-events.jsonl'))).toEqual(
      readFileSync(join(folder, 'all', 'files-events.jsonl')),
    );
    expect(readFileSync(join(folder, 'messages-again', 'kv-nemo.messages.jsonl'))).toEqual(
      readFileSync(join(folder, 'messages', 'kv-nemo.messages.jsonl')),
    );
    const parquet = readFileSync(join(folder, 'parquet-again', 'kv-nemo.parquet'));
    expect(parquet.subarray(-4).toString()).toBe('PAR1');
  });

  it('answers 400 to what it cannot export, naming the field, and 404 to a run that nobody knows', async () => {
    const ask = async (query: string) => {
      const response = await fetch(`${url}/v1/export?${query}`);
      const { error }: { error: { code: string; field?: string } } = JSON.parse(await response.text());
      return [response.status, error.code, error.field];
    };
    expect(await ask('format=jsonl')).toEqual([400, 'RS_USAGE', 'run']);
    expect(await ask('run=kv-nemo&format=csv')).toEqual([400, 'RS_USAGE', 'format']);
    expect(await ask('run=kv-nemo&all=yes')).toEqual([400, 'RS_USAGE', 'all']);
    expect(await ask('run=nobody')).toEqual([404, 'RS_NOT_FOUND', 'run']);
  });
});

/** In a process of its own, which has no data of ours open. */
async function readByEngine(path: string): Promise<Line[]> {
  const script = `
    import { createChdbConnection } from 'chdb/connection';
    import { createClient } from '@clickhouse/client';
    const client = createClient({ connection: createChdbConnection({ path: process.argv[2] }) });
    const query = \`SELECT run_id, rollout_id, attempt, disposition,
        arrayMap(s -> CAST(tuple(s.token_ids, s.loss_mask, s.logprobs),
          'Tuple(token_ids Array(UInt32), loss_mask Array(UInt8), logprobs Array(Float64))'), segments) AS segments
      FROM file('\${process.argv[1]}', Parquet) FORMAT JSONEachRow\`;
    const { stream } = await client.exec({ query });
    for await (const piece of stream) process.stdout.write(piece);
    await client.close();`;
  const args = ['--input-type=module', '-e', script, path, join(folder, 'reader')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: packageFile('.') });
  expect(stderr).toBe('');
  return jsonLines<Line>(stdout);
}
