import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('help', () => {
  it.each([
    [[]],
    [['up']],
    [['import']],
    [['ready']],
    [['export']],
    [['accounting']],
    [['query']],
    [['explain']],
    [['schemas', 'check']],
    [['schemas', 'register']],
    [['topics', 'plan']],
    [['topics', 'apply']],
    [['dead-letter', 'list']],
    [['dead-letter', 'show']],
    [['dead-letter', 'requeue']],
    [['doctor']],
    [['clickhouse']],
  ])('of %j goes to stdout, ends with 0 and has an example', async (command) => {
    const { code, stdout, stderr } = await cli([...command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Example:\n {2}\$ rollstream /);
    expect(stdout).toContain('--config <file>');
  });

  it('prints the version of the package', async () => {
    expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong usage ends with 2, says why on stderr and nothing on stdout', () => {
  it.each([
    ['a misspelt command', ['imprt', 'x'], /unknown command 'imprt'\n\(Did you mean import\?\)/],
    ['a misspelt flag', ['ready', '--folow'], /unknown option '--folow'\n\(Did you mean --follow\?\)/],
    ['a missing argument', ['explain'], /missing required argument 'rollout-id'/],
    ['no command', [], /Usage: rollstream/],
    ['a number that is none', ['ready', '--limit', 'many'], /--limit.*a whole number is needed/],
    [
      'a format that does not exist',
      ['query', 'select 1', '--format', 'xml'],
      /Allowed choices are table, json, jsonl, csv/,
    ],
    ['SQL and a name', ['query', 'select 1', '--named', 'accounting'], /not both/],
    ['neither SQL nor a name', ['query'], /see --list/],
    ['a query that is not shipped', ['query', '--named', 'acounting'], /did you mean accounting\?/],
    ['a parameter without a value', ['query', 'select 1', '--param', 'x'], /write name=value/],
    ['a wrong port', ['up', '--port', 'http'], /http\.port \(command line\): "http"/],
    ['a wrong log level', ['ready', '--log-level', 'loud'], /Allowed choices are silent, error/],
    ['a folder without data', ['accounting', '--data', 'nothing-here'], /there is no data in .*nothing-here/],
    ['a file that is not there', ['import', 'nothing-here.jsonl'], /nothing-here\.jsonl: there is no such file/],
  ])('%s', async (_, argv, message) => {
    const { code, stdout, stderr } = await cli(argv, { cwd: folder });
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(readdirSync(folder), 'nothing was created').toEqual([]);
  });

  it('a data folder that is a file is told, and is no bug', async () => {
    const file = join(tmpdir(), `rollstream-file-${process.pid}`);
    writeFileSync(file, '');
    const { code, stderr } = await cli(['up', '--once', '--data', file]);
    rmSync(file);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot use the data folder .*\[RS_CONFIG\]/);
  });

  it('names the variable and the key that were meant', async () => {
    const { code, stderr } = await cli(['ready'], { env: { ROLLSTREAM_HTPP_PORT: '1' } });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean ROLLSTREAM_HTTP_PORT?');
  });

  it('prints one line, and the stack only with --log-level debug', async () => {
    const brief = await cli(['accounting', '--data', 'nothing-here'], { cwd: folder });
    expect(brief.stderr.trim().split('\n')).toHaveLength(1);
    const long = await cli(['accounting', '--data', 'nothing-here', '--log-level', 'debug'], { cwd: folder });
    expect(long.stderr).toMatch(/\n\s+at /);
  });

  it('takes global flags before and after the command', async () => {
    for (const argv of [
      ['--data', 'elsewhere', 'accounting'],
      ['accounting', '--data', 'elsewhere'],
    ]) {
      expect((await cli(argv, { cwd: folder })).stderr).toContain(join(folder, 'elsewhere'));
    }
  });

  it('of a folder that cannot be made', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, stdout, stderr } = await cli(['clickhouse', '--folder', file, '--port', '0']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`--folder ${file}: no folder can be made there`);
  });
});

describe('schemas check', () => {
  it('ends with 0 for the schemas that are shipped, and says so as JSON', async () => {
    const { code, stdout } = await cli(['schemas', 'check', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it('ends with 1 for a schema that cannot read what its released version wrote', async () => {
    const schemas = mkdtempSync(join(tmpdir(), 'rollstream-schemas-'));
    const record = (fields: object[]) => JSON.stringify({ type: 'record', name: 'Thing', doc: 'A thing.', fields });
    const field = { name: 'a', type: 'string', doc: 'A.' };
    writeFileSync(join(schemas, 'thing.avsc'), record([field, { name: 'b', type: 'int', doc: 'No default.' }]));
    mkdirSync(join(schemas, 'released', 'thing'), { recursive: true });
    writeFileSync(join(schemas, 'released', 'thing', 'v1.avsc'), record([field]));
    const { code, stdout } = await cli(['schemas', 'check', '--folder', schemas]);
    rmSync(schemas, { recursive: true });
    expect(code).toBe(1);
    expect(stdout).toMatch(/no {2}thing {2}v1/);
  });
});

describe('query --list', () => {
  it('lists the queries that are shipped, without any data', async () => {
    const { code, stdout } = await cli(['query', '--list', '--json'], { cwd: folder });
    expect(code).toBe(0);
    const run = { name: 'run', type: 'String', preset: '', meaning: 'one run; empty: all' };
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'accounting', params: [run] }));
  });
});
