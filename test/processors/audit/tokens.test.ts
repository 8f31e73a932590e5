import { describe, expect, it } from 'vitest';
import { attemptOf, type CallTokens } from '../events.ts';
import { createTestLane } from '../harness.ts';
import { streamAudited } from './stream-audited.ts';

const of = attemptOf();
/** Start, these calls, an end, a verdict. */
const attempt = (...calls: readonly CallTokens[]) => [
  of.start(),
  ...calls.map((call, i) => of.call(i + 1, call)),
  of.end(calls.length + 1),
  of.verdict(1),
];
const tokens = (...calls: readonly CallTokens[]) => streamAudited('tokens', ...attempt(...calls));

/** `<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\n` of Qwen3. */
const ASKED = [151644, 872, 198, 4340, 525, 498, 30, 151645, 198, 151644, 77091, 198];
const PANTOM = [53122, 316];
const PANTOM_AGAIN = [393, 30002];

describe('pipeline drift', () => {
  it('passes a prompt that extends what is held', () => {
    const next = { prompt_prefix_len: 15, prompt: [198, 151644], sampled: [5, 6] };
    expect(tokens({ prompt: ASKED, sampled: [...PANTOM, 151645] }, next)).toMatchObject({ result: 'pass', said: [] });
  });

  it('is found where the next prompt holds a completion encoded again, at the call that broke it (cases 2, 3)', () => {
    const { result, said, findings } = tokens(
      { prompt: ASKED, sampled: [...PANTOM, 151645] },
      { prompt_prefix_len: 12, prompt: [...PANTOM_AGAIN, 151645, 198, 151644, 872], sampled: [40, 151645] },
    );
    expect(result).toBe('fail');
    expect(said).toEqual(['pipeline_drift fail 1 12']);
    expect(findings[0]?.evidence).toEqual({
      ids: [...PANTOM_AGAIN, 151645, 198, 151644, 872],
      expectedIds: [...PANTOM, 151645],
    });
    expect(findings[0]?.detail).toBe(
      'the prompt of call 1 (segment main~1) holds 2 other ids for 2 of what call 0 sampled, from token 12 of segment main on',
    );
  });

  it('is found though the producer names a shorter common prefix than there is', () => {
    const sampled = [40, 1079, ...PANTOM, 151645];
    const again = [...ASKED, 40, 1079, ...PANTOM_AGAIN, 151645, 198];
    expect(tokens({ prompt: ASKED, sampled }, { prompt_prefix_len: 0, prompt: again }).said).toEqual([
      'pipeline_drift fail 1 14',
    ]);
    const same = { prompt_prefix_len: 0, prompt: [...ASKED, ...sampled, 198] };
    expect(tokens({ prompt: ASKED, sampled }, same).result).toBe('pass');
  });

  it('is found beyond thinking that was left out of the same history', () => {
    const sampled = [151667, 271, 151668, 271, 40, 1079, 1661, 0, 11, 12, 13, 14, ...PANTOM, 151645];
    const again = [40, 1079, 1661, 0, 11, 12, 13, 14, ...PANTOM_AGAIN, 151645, 198];
    expect(tokens({ prompt: ASKED, sampled }, { prompt_prefix_len: 12, prompt: again }).said).toEqual([
      'pipeline_drift fail 1 24',
    ]);
  });
});

describe('a rewritten history is no drift', () => {
  it('thinking left out by the template (cases 26, 27)', () => {
    const { result, said, findings } = tokens(
      { prompt: ASKED, sampled: [151667, 271, 151668, 271, 40, 1079, 1661, 0, 151645] },
      {
        prompt_prefix_len: 12,
        prompt: [40, 1079, 1661, 0, 151645, 198, 151644, 872, 198, 3838, 374, 697, 829, 30, 151645, 198],
      },
    );
    expect(result).toBe('warn');
    expect(said).toEqual(['history_rewritten warn 1 12']);
    expect(findings[0]?.detail).toContain('leaves 4 tokens out within what call 0 sampled');
  });

  it('a summary, which does not come back', () => {
    const sampled = Array.from({ length: 300 }, (_, i) => 1000 + i);
    const summary = Array.from({ length: 20 }, (_, i) => 9000 + i);
    const next = { prompt_prefix_len: 12, prompt: [...summary, 151645, 198] };
    expect(tokens({ prompt: ASKED, sampled: [...sampled, 151645] }, next).said).toEqual([
      'history_rewritten warn 1 12',
    ]);
  });

  it('another system prompt', () => {
    const next = { prompt_prefix_len: 3, prompt: [1, 2, 3], sampled: [4] };
    expect(tokens({ prompt: ASKED, sampled: [40, 151645] }, next).said).toEqual(['history_rewritten warn 1 3']);
  });

  it('a completion that was thrown away and sampled again', () => {
    const next = { prompt_prefix_len: 12, prompt: [], sampled: [41, 151645] };
    expect(tokens({ prompt: ASKED, sampled: [40, 151645] }, next).said).toEqual(['history_rewritten warn 1 12']);
  });
});

describe('recorded ids and what the engine says of them', () => {
  it('fail if it sampled others in number, warn if its count lacks one or its prompt was another', () => {
    const usage = (completion_tokens: number, prompt_tokens = 2) =>
      tokens({ usage: { prompt_tokens, completion_tokens } }).said;
    expect(usage(3)).toEqual([]);
    expect(usage(2)).toEqual(['usage_mismatch warn 0 null']);
    expect(usage(5)).toEqual(['usage_mismatch fail 0 null']);
    expect(usage(3, 9)).toEqual(['usage_mismatch warn 0 null']);
  });

  it('fail where a prompt reuses tokens that nobody has seen', () => {
    expect(tokens({}, { prompt_prefix_len: 99 }).said).toEqual(['prefix_beyond_held fail null null']);
  });

  it.each([
    [9, 'pass'],
    [6, 'fail'],
    [8, 'fail'],
    [10, 'fail'],
  ])('routed experts of %i rows for 10 tokens: %s (case 89)', (rows, result) => {
    const aux_ref = { name: 'routed_experts', uri: 'file:///routes', shape: [rows, 48, 8], dtype: 'uint8' };
    expect(tokens({ prompt: [1, 2, 3, 4], sampled: [5, 6, 7, 8, 9, 10], aux_ref }).result).toBe(result);
  });

  it.each([
    [[9, 48, 8], 'float32'],
    [[9, 48, 8], ''],
    [[9, 384], 'uint8'],
    [[9, 0, 8], 'uint8'],
    [[3456], 'uint8'],
  ])('routed experts of shape %j and type %s number no expert of each layer', (shape, dtype) => {
    const aux_ref = { name: 'routed_experts', uri: 'blob:1', shape, dtype };
    const said = tokens({ prompt: [1, 2, 3, 4], sampled: [5, 6, 7, 8, 9, 10], aux_ref }).said;
    expect(said).toEqual(['routing_misaligned fail 0 null']);
  });

  it('a one-token pad row is no step (case 91)', () => {
    expect(tokens({ prompt: [], sampled: [0], finish_reason: null }).said).toEqual(['pad_row fail 0 null']);
    expect(tokens({ prompt: [1, 2, 3], sampled: [0], finish_reason: 'stop' }).said).toEqual([]);
  });

  it('nothing is said of tokens that are not there', () => {
    const none = { prompt: null, sampled: null, logprobs: null };
    expect(tokens(none)).toMatchObject({ result: 'not_auditable', missing: 'no token ids' });
    expect(tokens({}, none)).toMatchObject({ result: 'not_auditable', missing: '1 of 2 calls have no token ids' });
    expect(tokens()).toMatchObject({ result: 'not_auditable', missing: 'no model call' });
  });
});

it('masks cover what was sampled, and that once: their sum, not the span from the first to the last (case 90)', () => {
  const lane = createTestLane();
  lane.fold(
    ...attempt(
      { prompt: [1, 2, 3], sampled: [4, 5, 6, 7] },
      { prompt_prefix_len: 7, prompt: [8, 9, 10], sampled: [11, 12, 13, 14, 15] },
    ),
  );
  const { trajectory } = lane.effects().rows.trajectories[0] ?? {};
  const mask = trajectory?.segments[0]?.sampled_mask;
  expect([...(mask ?? [])].join('')).toBe('000111100011111');
  expect(trajectory?.rollout_loss_tokens).toBe(9);
});

it('of hundreds of findings the first 64 stand, and the number of the others', () => {
  const wrong = Array.from({ length: 100 }, (_, i) => ({
    ...{ prompt_prefix_len: i * 5, usage: { completion_tokens: 9, prompt_tokens: i * 5 + 2 } },
  }));
  const { result, findings } = tokens(...wrong);
  expect(result).toBe('fail');
  expect(findings).toHaveLength(65);
  expect(findings.at(-1)).toMatchObject({ class: 'more_findings', detail: '36 more of them, of which 36 fail' });
});
