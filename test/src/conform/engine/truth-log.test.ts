import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openTruthLog } from '../../../../src/conform/engine/truth-log.ts';
import type { TruthCall, TruthHead } from '../../../../src/conform/truth.ts';
import { truthCall } from './truth-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollstream-truth-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD: TruthHead = {
  ...{ rollstream_conform: 1, startedAtUs: 1, seed: 0, tokenizerSha256: 'abc', model: 'm', scenarios: ['honest'] },
};
const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

it('has each line as soon as it is written, after a head', () => {
  const file = join(folder, 'log.jsonl');
  const log = openTruthLog(file, HEAD);
  const call: TruthCall = truthCall({ completionIds: [1], logprobs: [Math.fround(-0.1)] });
  log.write(call);
  expect(linesOf(file)).toEqual([HEAD, call]);
  log.close();
});

it('keeps the log that was there under another name', () => {
  const file = join(folder, 'again.jsonl');
  writeFileSync(file, 'old');
  openTruthLog(file, HEAD).close();
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('old');
  expect(linesOf(file)).toEqual([HEAD]);
});

it('says when no more fits', () => {
  const log = openTruthLog(join(folder, 'full.jsonl'), HEAD, 1_000);
  expect(log.isFull()).toBe(false);
  for (let line = 0; line < 3; line++) log.write(truthCall({}));
  expect(log.isFull()).toBe(true);
  log.close();
});

it('refuses a place that cannot be written, by its name', () => {
  const file = join(folder, 'nowhere', 'log.jsonl');
  expect(() => openTruthLog(file, HEAD)).toThrow(file);
  expect(existsSync(file)).toBe(false);
});
