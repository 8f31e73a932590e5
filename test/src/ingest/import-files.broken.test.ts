import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { explainFile } from '../../../src/ingest/explain/explain-file.ts';
import { importFiles } from '../../../src/ingest/import-files.ts';
import type { DeadLetter } from '../../../src/ingest/import-sink.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-broken-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string, content: string | Buffer): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function importedFolder() {
  const events: StepEventInit[] = [];
  const letters: DeadLetter[] = [];
  const report = await importFiles(
    [folder],
    { runId: 'run' },
    {
      append: async (keyed) => void events.push(...keyed.map(({ event }) => event)),
      deadLetter: async (letter) => void letters.push(letter),
      sourceEnded: async () => {},
    },
  );
  const rollouts = events.flatMap(({ kind, rollout_id }) => (kind === 'start' ? [rollout_id] : []));
  return { report, letters, events, rollouts, messages: report.messages.map((text) => text.replace(`${folder}/`, '')) };
}

const atif = (id: string, more: object = {}) => ({
  schema_version: 'ATIF-v1.7',
  trajectory_id: id,
  agent: { name: 'a', version: '1' },
  steps: [{ step_id: 1, source: 'agent', message: 'hello' }],
  ...more,
});

test.each([
  ['torn in its only line', JSON.stringify(atif('t')).slice(0, 90), /^x\.json: looks like ATIF: torn last line: /],
  [
    'torn over many lines',
    JSON.stringify(atif('t'), null, 1).slice(0, 90),
    /^x\.json: looks like ATIF: malformed JSON: /,
  ],
  ['two without anything between', JSON.stringify(atif('t')).repeat(2), /: text after the end of the value/],
  ['slime, torn', '{"tokens":[1,2],"response_length":1,"rew', /^x\.json: looks like samples of slime: torn last line/],
])('a document that was found in a folder and is %s is refused, and the rest is taken', async (_, text, told) => {
  put('x.json', text);
  put('y.json', JSON.stringify(atif('good')));
  const { report, letters, rollouts, messages } = await importedFolder();
  expect(rollouts).toEqual(['good']);
  expect(report.refused).toBe(1);
  expect(messages).toEqual([expect.stringMatching(told)]);
  expect(letters.map(({ bytes }) => bytes?.toString().trimEnd())).toEqual([text]);
});

test('notes that quote a trajectory are notes', async () => {
  put('README.md', `A file looks like ${JSON.stringify(atif('t'))}, or longer.\n`);
  expect((await importedFolder()).report).toMatchObject({ refused: 0, files: [{ format: null }] });
});

test('gzip that ends within a document refuses that file and ends nothing', async () => {
  const broken = put('a.json.gz', gzipSync(JSON.stringify(atif('t'), null, 1)).subarray(0, 60));
  put('b.json', JSON.stringify(atif('good')));
  const { report, rollouts, messages } = await importedFolder();
  expect(rollouts).toEqual(['good']);
  expect(report.refused).toBe(1);
  expect(messages).toEqual(['a.json.gz: broken gzip: unexpected end of file']);
  await expect(explainFile([broken], {})).rejects.toMatchObject({ code: 'RS_USAGE' });
});

test('broken gzip beside a document is told when it is its own turn', async () => {
  put('trajectory.json', JSON.stringify(atif('t', { continued_trajectory_ref: 'trajectory.cont-1.json' })));
  put('trajectory.cont-1.json', gzipSync(JSON.stringify(atif('u'), null, 1)).subarray(0, 60));
  const { report, rollouts, messages, events } = await importedFolder();
  expect(rollouts).toEqual(['t']);
  expect(report.refused).toBe(1);
  expect(messages).toEqual(['trajectory.cont-1.json: broken gzip: unexpected end of file']);
  expect(events.at(-1)?.end?.reasons?.map(({ raw }) => raw)).toContain('continuation_missing');
});

test('a document of one line is joined with its companions whatever its length', async () => {
  const long = { step_id: 2, source: 'user', message: 'm'.repeat(5_000_000) };
  const trial = { trial_name: 'task__1', task_name: 'task', verifier_result: { rewards: { reward: 1 } } };
  put('task__1/agent/trajectory.json', JSON.stringify(atif('t', { steps: [...atif('t').steps, long] })));
  put('task__1/result.json', JSON.stringify(trial));
  const { rollouts, events } = await importedFolder();
  expect(rollouts).toEqual(['task__1']);
  expect(events.flatMap(({ verdict }) => (verdict ? [verdict.rewards] : []))).toEqual([{ reward: 1 }]);
});
