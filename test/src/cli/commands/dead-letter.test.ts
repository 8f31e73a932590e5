import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../../../src/app.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { silentRecorder } from '../../../../src/observe/recorder.ts';
import { cli } from '../test-io.ts';

/** A schema id that nobody registered, and a value that is no text. */
const UNKNOWN_SCHEMA = Buffer.from([0, 0, 0, 0, 99, 1, 2, 255]);
const NOT_AVRO = Buffer.from('hello\n');

let data = '';
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'rollstream-letters-'));
  const app = await openApp(loadConfig({ flags: { data }, env: {}, cwd: data }), {
    log: pino({ level: 'silent' }),
    recorder: silentRecorder,
    now: Date.now,
    url: null,
    withLanes: true,
  });
  await app.broker.append(app.topics.steps, [
    { key: 'r/0/r/x', value: UNKNOWN_SCHEMA, headers: { by: 'someone' } },
    { key: null, value: NOT_AVRO },
    { key: Buffer.from([0xff]), value: NOT_AVRO },
  ]);
  await app.lanes?.drained();
  await app.close();
  const refused = join(data, 'refused.jsonl');
  writeFileSync(refused, '{"kind":"start","rollout_id":7}\n');
  expect((await cli(['import', refused, '--format', 'rollstream', '--data', data])).code).toBe(4);
});
afterAll(() => rmSync(data, { recursive: true }));

async function letters(...flags: string[]): Promise<Array<{ letter: string; code: string }>> {
  const { stdout } = await cli(['dead-letter', 'list', '--json', '--data', data, ...flags]);
  return JSON.parse(stdout).map(({ letter, code }: { letter: string; code: string }) => ({ letter, code }));
}

describe('dead-letter list', () => {
  it('names each record that could not be read by where it was, with what is wrong with it, the latest last', async () => {
    expect((await letters()).slice(0, 3)).toEqual([
      { letter: 'rollout.steps/0/0', code: 'unknown_schema' },
      { letter: 'rollout.steps/0/1', code: 'bad_magic' },
      { letter: 'rollout.steps/0/2', code: 'bad_magic' },
    ]);
  });

  it('takes a stage, a fault and a limit', async () => {
    expect(await letters('--code', 'unknown_schema')).toEqual([
      { letter: 'rollout.steps/0/0', code: 'unknown_schema' },
    ]);
    expect((await letters('--stage', 'import')).map(({ letter }) => letter.split('/')[0])).toEqual(['import']);
    expect(await letters('--stage', 'decode', '--limit', '1')).toEqual([
      { letter: 'rollout.steps/0/2', code: 'bad_magic' },
    ]);
  });
});

describe('dead-letter show', () => {
  it('shows bytes that are no text in hex, with key and headers', async () => {
    const { code, stdout } = await cli(['dead-letter', 'show', 'rollout.steps/0/0', '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^code: unknown_schema$/m);
    expect(stdout).toMatch(/^by: someone$/m);
    expect(stdout).toMatch(/^key: r\/0\/r\/x$/m);
    expect(stdout).toContain('00000000  00 00 00 00 63 01 02 ff ');
  });

  it('shows text as text', async () => {
    const { stdout } = await cli(['dead-letter', 'show', 'rollout.steps/0/1', '--data', data]);
    expect(stdout).toMatch(/^key: none\n\nhello\n/m);
  });

  it('gives the exact bytes as JSON', async () => {
    const { stdout } = await cli(['dead-letter', 'show', 'rollout.steps/0/2', '--json', '--data', data]);
    expect(JSON.parse(stdout)).toMatchObject({
      key_base64: Buffer.from([0xff]).toString('base64'),
      value_base64: NOT_AVRO.toString('base64'),
    });
  });

  it('ends with 1 where there is none of that name, with 2 where it is no name', async () => {
    expect(await cli(['dead-letter', 'show', 'rollout.steps/0/77', '--data', data])).toMatchObject({ code: 1 });
    expect(await cli(['dead-letter', 'show', 'nonsense', '--data', data])).toMatchObject({ code: 2 });
  });
});

describe('dead-letter requeue', () => {
  it('refuses what an importer refused, and what has no key, and then appends none of them', async () => {
    const before = await letters();
    const imported = (await letters('--stage', 'import'))[0]?.letter ?? '';
    const names = ['rollout.steps/0/0', imported];
    const { code, stderr } = await cli(['dead-letter', 'requeue', ...names, '--data', data]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('mend its file') });
    const keyless = await cli(['dead-letter', 'requeue', 'rollout.steps/0/1', '--data', data]);
    expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining('it has no key') });
    expect(await letters()).toEqual(before);
  });

  it('appends the same bytes under the same key again, also a key that is no text', async () => {
    const names = ['rollout.steps/0/0', 'rollout.steps/0/2'];
    const { code, stdout } = await cli(['dead-letter', 'requeue', ...names, '--json', '--data', data]);
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: { requeued: 2 } });
    // They are still unreadable: each is a letter again, with its bytes, and says where it came from.
    const [again, last] = (await letters('--stage', 'decode')).slice(-2);
    const shown: unknown[] = [];
    for (const one of [again, last]) {
      const { stdout: text } = await cli(['dead-letter', 'show', one?.letter ?? '', '--json', '--data', data]);
      shown.push(JSON.parse(text));
    }
    expect(shown).toMatchObject([
      {
        value_base64: UNKNOWN_SCHEMA.toString('base64'),
        key_base64: Buffer.from('r/0/r/x').toString('base64'),
        headers: { by: 'someone', requeued_from: 'rollout.steps/0/0' },
      },
      {
        value_base64: NOT_AVRO.toString('base64'),
        key_base64: Buffer.from([0xff]).toString('base64'),
        headers: { requeued_from: 'rollout.steps/0/2' },
      },
    ]);
  });
});
