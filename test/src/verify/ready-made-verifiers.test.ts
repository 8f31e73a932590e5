import { expect, it } from 'vitest';
import { numericValue } from '../../../src/verify/numeric-value.ts';
import { readyMadeVerifier } from '../../../src/verify/ready-made-verifiers.ts';
import type { VerifierInput } from '../../../src/verify/verifier.ts';
import { sampleInput } from './sample-input.ts';

const { signal } = new AbortController();

async function judged(spec: string, input: Partial<VerifierInput>): Promise<unknown> {
  const { status, rewards, report } = await readyMadeVerifier(spec).verify(sampleInput(input), signal);
  return status === 'scored' ? rewards.reward : [status, rewards, report];
}

it('exact takes the text as it is, but for blanks around it', async () => {
  const cases: readonly (readonly [unknown, string, number])[] = [
    [{ answer: '42' }, ' 42\n', 1],
    [{ ground_truth: 42 }, '42', 1],
    [{ expected: ['forty-two', '42'] }, '42', 1],
    [{ context: { ground_truth: '42' } }, '42', 1],
    [{ answer: 'Yes' }, 'yes', 0],
    [{ answer: '42' }, 'it is 42', 0],
    [{ answer: '42' }, '', 0],
  ];
  for (const [task, response, reward] of cases)
    expect(await judged('exact', { task, final_response: response }), response).toBe(reward);
});

it('a task without a right answer is a fault of the verifier, not of the rollout', async () => {
  const fault = ['parse_error', {}, '{"reason":"invalid_ground_truth"}'];
  for (const task of [null, 'text', {}, { answer: null }, { answer: ' ' }, { answer: {} }, { answer: ['4', {}] }])
    for (const spec of ['exact', 'numeric:1'])
      expect(await judged(spec, { task }), JSON.stringify(task)).toEqual(fault);
  expect(await judged('numeric:1', { task: { answer: 'none' } })).toEqual([
    'parse_error',
    {},
    '{"reason":"gold_parse_failed"}',
  ]);
});

it('no final response, and one without a number, are wrong answers: 0', async () => {
  const tool = { final_response: null, messages: [{ role: 'tool', content: '42' }] };
  expect(await judged('exact', tool)).toBe(0);
  expect(await judged('numeric:0', tool)).toBe(0);
  expect(await judged('numeric:0', { final_response: 'I do not know' })).toBe(0);
  // Where the source keeps no final response apart it is the last that was said.
  expect(await judged('exact', { final_response: null })).toBe(1);
});

it('numeric is as near as its tolerance, absolute or in percent of the right answer', async () => {
  const near = (spec: string, response: string) => judged(spec, { task: { answer: '200' }, final_response: response });
  expect(await near('numeric:0', 'so it is 200.0')).toBe(1);
  expect(await near('numeric:0.5', '200.5')).toBe(1);
  expect(await near('numeric:0.5', '200.51')).toBe(0);
  expect(await near('numeric:1%', '198')).toBe(1);
  expect(await near('numeric:1%', '197.9')).toBe(0);
  expect(await near('numeric:1e-3', '200.0005')).toBe(1);
});

it('the last number of a text counts, that in a box before it', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ['it is 42.', 42],
    ['first 7, then 1,234.5', 1234.5],
    ['1/2', 0.5],
    ['\\boxed{7} of 9', 7],
    ['\u22123', -3],
    ['.5', 0.5],
    ['1e-3', 0.001],
    ['3/0', null],
    ['none', null],
    ['', null],
    ['x2', null],
  ];
  for (const [text, value] of cases) expect(numericValue(text), text).toBe(value);
});

it('a tolerance that is none is refused', () => {
  for (const spec of ['numeric', 'numeric:', 'numeric:x', 'numeric:-1', 'numeric:1%%'])
    expect(() => readyMadeVerifier(spec), spec).toThrow(/^verifier: .* no tolerance/);
});

it('the tolerance is part of the version: answers under another are not taken for these', () => {
  expect(readyMadeVerifier('numeric:1%').version).not.toBe(readyMadeVerifier('numeric:1').version);
});
