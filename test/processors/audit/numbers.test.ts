import { describe, expect, it } from 'vitest';
import { attemptOf, type CallTokens } from '../events.ts';
import { streamAudited } from './stream-audited.ts';

const of = attemptOf();
const numbers = (...calls: readonly CallTokens[]) =>
  streamAudited(
    'numbers',
    of.start(),
    ...calls.map((call, i) => of.call(i + 1, call)),
    of.end(calls.length + 1),
    of.verdict(1),
  );
/** A call of as many tokens as logprobs; the first of them is token 2 of its segment. */
const withLogprobs = (logprobs: readonly number[], call: CallTokens = {}) =>
  numbers({ sampled: logprobs.map((_, i) => 20 + i), logprobs, ...call });
const falling = (count: number) => Array.from({ length: count }, (_, i) => -0.01 * (i + 1));

describe('logprobs', () => {
  it('pass where each is a logprob: certain tokens are 0, rounding may leave a little more', () => {
    expect(withLogprobs([-0.1, 0, 0, -3.5, 5e-7, -50]).result).toBe('pass');
  });

  it.each([
    ['NaN', Number.NaN],
    ['minus infinity', Number.NEGATIVE_INFINITY],
    ['-9999', -9999],
    ['-1e30', -1e30],
    ['-100', -100],
  ])('fail where one is %s, with its place (cases 83, 87)', (_, value) => {
    const logprobs = falling(512);
    logprobs[7] = value;
    expect(withLogprobs(logprobs)).toMatchObject({ result: 'fail', said: ['logprob_invalid fail 0 9'] });
  });

  it('fail above 0', () => {
    expect(withLogprobs([-0.1, 0.5, -0.2]).said).toEqual(['logprob_positive fail 0 3']);
  });

  it('fail where all are one value; warn where they are 0 and nothing was drawn', () => {
    expect(withLogprobs(new Array(16).fill(-0.7)).said).toEqual(['logprob_constant fail 0 2']);
    expect(withLogprobs(new Array(15).fill(-0.7)).said).toEqual([]);
    expect(withLogprobs(new Array(16).fill(0)).said).toEqual(['logprob_constant fail 0 2']);
    const greedy = { sampling: { temperature: 0 } };
    expect(withLogprobs(new Array(16).fill(0), greedy).said).toEqual(['logprob_constant warn 0 2']);
  });

  it('fail where they end in zeros and have none elsewhere; certain tokens at the end of a sure text pass', () => {
    expect(withLogprobs([...falling(20), ...new Array(8).fill(0)]).said).toEqual(['logprob_tail_padding fail 0 22']);
    expect(withLogprobs([...falling(20), ...new Array(7).fill(0)]).said).toEqual([]);
    expect(withLogprobs([...falling(20), 0, 0, ...falling(20), ...new Array(12).fill(0)]).said).toEqual([]);
    expect(withLogprobs([...falling(20), 0, 0, ...falling(20), ...new Array(40).fill(0)]).said).toEqual([
      'logprob_tail_padding warn 0 44',
    ]);
  });

  it('warn where a single 0 stands at an edge: they may be shifted by one', () => {
    expect(withLogprobs([0, ...falling(20)]).said).toEqual(['logprob_shift_suspected warn 0 2']);
    expect(withLogprobs([...falling(20), 0]).said).toEqual(['logprob_shift_suspected warn 0 22']);
    expect(withLogprobs([...falling(10), 0, ...falling(10)]).said).toEqual([]);
  });

  it('warn once where processed ones are of a truncated distribution (case 86)', () => {
    const truncated = { logprobs_mode: 'processed', sampling: { top_p: 0.9 } } as const;
    const next = { ...truncated, prompt_prefix_len: 5 };
    const { result, said, findings } = numbers(truncated, next);
    expect(result).toBe('warn');
    expect(said).toEqual(['logprob_support_mismatch warn 0 null']);
    expect(findings[0]?.detail).toContain('in 2 calls');
    expect(numbers({ ...truncated, sampling: { top_k: 20 } }).result).toBe('warn');
    expect(numbers({ ...truncated, sampling: { top_p: 1, top_k: -1 } }).result).toBe('pass');
    expect(numbers({ ...truncated, logprobs_mode: 'raw' }).result).toBe('pass');
  });

  it('that are not there cannot be audited, and what can fails all the same', () => {
    expect(numbers({ logprobs: null })).toMatchObject({ result: 'not_auditable', missing: 'no logprobs' });
    expect(numbers({}, { prompt_prefix_len: 5, logprobs: null })).toMatchObject({
      ...{ result: 'not_auditable', missing: '1 of 2 completions have no logprobs' },
    });
    const spans = [
      { start: 0, version: '8' },
      { start: 2, version: '7' },
    ];
    expect(numbers({ logprobs: null, weight_spans: spans })).toMatchObject({ result: 'fail', missing: null });
    expect(numbers().missing).toBe('no model call');
  });
});

describe('rewards', () => {
  it('fail that are not finite', () => {
    const { said } = streamAudited('numbers', of.start(), of.call(1), of.end(2), of.verdict(Number.NaN));
    expect(said).toEqual(['reward_not_finite fail null null']);
  });

  it('of two scorers are one finding, of a turn another', () => {
    const more = [of.verdict(Number.NaN, { scorer: 'b' }), of.verdict(Infinity, { scorer: 'c', bound_to: 0 })];
    const { said } = streamAudited('numbers', of.start(), of.call(1), ...more, of.verdict(Number.NaN), of.end(2));
    expect(said.toSorted()).toEqual(['reward_not_finite fail 0 null', 'reward_not_finite fail null null']);
  });
});

describe('versions of the weights', () => {
  const spans = (...versions: readonly string[]) => versions.map((version, i) => ({ start: i, version }));

  it('that go on within a call or between calls pass (cases 105, 106)', () => {
    const next = { prompt_prefix_len: 5, weight_spans: spans('8', '10') };
    expect(numbers({ weight_spans: spans('7', '8') }, next).result).toBe('pass');
  });

  it('that go back within a call fail', () => {
    expect(numbers({ weight_spans: spans('10', '9') }).said).toEqual(['version_backwards fail 0 3']);
  });

  it('that go back between calls warn: a replica that was not updated yet', () => {
    const next = { prompt_prefix_len: 5, weight_spans: spans('9') };
    expect(numbers({ weight_spans: spans('10') }, next).said).toEqual(['version_backwards warn 1 null']);
  });

  it('whose names tell no order say nothing', () => {
    expect(numbers({ weight_spans: spans('step-9', 'step-10', 'best') }).result).toBe('pass');
  });

  it('warn where the first tokens have none', () => {
    expect(numbers({ weight_spans: [{ start: 1, version: '7' }] }).said).toEqual(['weight_spans_gap warn 0 2']);
  });
});
