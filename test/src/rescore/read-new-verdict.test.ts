import { expect, it } from 'vitest';
import { MOST_VERDICTS, readNewVerdicts } from '../../../src/rescore/read-new-verdict.ts';

const one = {
  ...{ run_id: 'r', epoch: 0, unit: 'r/0/g/g0', rollout_id: 'g0_1', attempt: 0 },
  verdict: {
    scorer: 'sum',
    scorer_version: '2',
    status: 'scored',
    rewards: { a: 1, b: null },
    bound_to: 3,
    report_json: null,
  },
};

it('reads verdicts as lines and as a list, and null is not 0', () => {
  const lines = `${JSON.stringify(one)}\n\n${JSON.stringify({ ...one, rollout_id: 'g0_2' })}\n`;
  expect(readNewVerdicts(lines, true)).toEqual([one, { ...one, rollout_id: 'g0_2' }]);
  expect(readNewVerdicts(JSON.stringify({ verdicts: [one] }), false)).toEqual([one]);
});

it.each<[string, unknown]>([
  ['verdicts[0].run_id', { ...one, run_id: '' }],
  ['verdicts[0].unit', { ...one, unit: 7 }],
  ['verdicts[0].rollout_id', { ...one, rollout_id: 'x'.repeat(4_097) }],
  ['verdicts[0].attempt', { ...one, attempt: -1 }],
  ['verdicts[0].epoch', { ...one, epoch: 0.5 }],
  ['verdicts[0].score', { ...one, score: 1 }],
  ['verdicts[0].verdict', { ...one, verdict: [] }],
  ['verdicts[0].verdict.status', { ...one, verdict: { ...one.verdict, status: 'good' } }],
  ['verdicts[0].verdict.rewards.a', { ...one, verdict: { ...one.verdict, rewards: { a: 'NaN' } } }],
  ['verdicts[0].verdict.bound_to', { ...one, verdict: { ...one.verdict, bound_to: -2 } }],
  ['verdicts[0].verdict.scorer', { ...one, verdict: { ...one.verdict, scorer: '' } }],
  ['verdicts[0]', 7],
])('names %s where it is wrong', (field, value) => {
  expect(() => readNewVerdicts(JSON.stringify(value), true)).toThrow(
    expect.objectContaining({ code: 'RS_USAGE', facts: { field } }),
  );
});

it('refuses what is no JSON, no list, or too long a one', () => {
  expect(() => readNewVerdicts('{', true)).toThrow(/verdicts\[0\]: not JSON/);
  expect(() => readNewVerdicts('[]', false)).toThrow(/a list is needed/);
  expect(() => readNewVerdicts('0\n'.repeat(MOST_VERDICTS + 1), true)).toThrow(/at most 10000/);
});
