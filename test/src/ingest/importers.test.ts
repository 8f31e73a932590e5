import { expect, test } from 'vitest';
import { whatItIs } from '../../../src/ingest/foreign-formats.ts';
import { detectFormat } from '../../../src/ingest/importers.ts';

test.each([
  ['strands-env', { task: { id: 'a' }, result: { messages: [] } }],
  ['strands-env', { task: { id: 'a', context: {} }, result: { messages: [] } }],
  ['strands-env', { action: { message: 'q' }, step_result: { observation: {} } }],
  ['nemo-gym', { response: { output: [] }, reward: 0 }],
  ['nemo-gym', { _ng_failure_class: 'sandbox' }],
  ['nemo-gym', { responses_create_params: {}, response: {} }],
  ['rollstream', { kind: 'start', rollout_id: 'r', seq: 0, start: {} }],
])('%s is told by what its lines hold', (name, line) => {
  expect(detectFormat([{}, line], 'anything.txt')?.importer.name).toBe(name);
});

test('lines that none knows are taken for nothing', () => {
  expect(detectFormat([], 'results.jsonl')).toBeNull();
  expect(detectFormat([{ task: 'text', result: 'text' }, { reward: 1 }], 'results.jsonl')).toBeNull();
});

test.each([
  ['', 'is empty'],
  ['{"schema_version": "ATIF-v1.7", ', 'looks like ATIF'],
  ['{"trajectory":[{"action":"ls"}]}', 'looks like a SWE-agent trajectory'],
  ['[{"task_id":0,"traj":[]}]', 'looks like tau-bench results, which this version does not import'],
  ['{"prompt":[],"completion":[],"reward":1}', 'looks like verifiers results'],
  ['{"a":1}', 'is JSON of no known format'],
  ['a,b\n1,2\n', 'is not JSON Lines'],
  ['PK\u0003\u0000', 'is not text'],
  ['PK\u0003\u0004\u0000', 'is a zip; `python -m rollstream.dumps` makes lines of what torch.save wrote'],
])('%s', (text, what) => {
  expect(whatItIs(Buffer.from(text))).toBe(what);
});

test('UTF-16 is named', () => {
  expect(whatItIs(Buffer.from('\ufeff{}', 'utf16le'))).toBe('is UTF-16 text; write it as UTF-8');
});
