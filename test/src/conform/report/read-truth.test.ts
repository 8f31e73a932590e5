import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTruth } from '../../../../src/conform/report/read-truth.ts';
import { call } from './hand-made.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-truth-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, text);
  return path;
}

const HEAD = {
  rollstream_conform: 1,
  startedAtUs: 1,
  seed: 0,
  tokenizerSha256: 'ab',
  model: 'm',
  scenarios: ['honest'],
};

it('a log is its head and its calls; a last line that is not whole is passed over', async () => {
  const whole = call({ call: 4 });
  const path = written(`${JSON.stringify(HEAD)}\n${JSON.stringify(whole)}\n{"scenario":"hon`);
  expect(await readTruth(path)).toEqual({ head: HEAD, calls: [whole] });
});

it('what is no log is refused with its line, and a file that is not there by its name', async () => {
  await expect(readTruth(written('{"task":{}}\n'))).rejects.toMatchObject({
    code: 'RS_INPUT_REFUSED',
    message: expect.stringContaining('log.jsonl:1: not a line of the log'),
  });
  await expect(readTruth(join(folder, 'none'))).rejects.toMatchObject({ code: 'RS_FILE_UNREADABLE' });
});

it('a line that lacks what a call has is refused with its number, whatever it has besides', async () => {
  const { rawText: _, ...untold } = call({});
  for (const line of [
    { promptIds: [], completionIds: [] },
    untold,
    { ...call({}), scenario: 7 },
    { ...call({}), promptIds: ['1'] },
    { ...call({}), logprobs: null },
    { rollstream_conform: 1 },
    { ...HEAD, scenarios: [{}] },
    { ...HEAD, calls: 'x' },
  ]) {
    await expect(readTruth(written(`${JSON.stringify(HEAD)}\n${JSON.stringify(line)}\n`))).rejects.toMatchObject({
      code: 'RS_INPUT_REFUSED',
      message: expect.stringContaining('log.jsonl:2: '),
    });
  }
});
