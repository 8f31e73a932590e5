import { describe, expect, it } from 'vitest';
import { withSglextIds } from '../../../../../src/proxy/record/call/sglext-ids.ts';

describe('withSglextIds', () => {
  it('tells ids by prompt and choice, and keeps what else is there', () => {
    const sglext = { input_ids: [1, 2], output_ids: [[3], [4, 5]], cached_tokens_details: { device: 1 } };
    expect(withSglextIds({ id: 'r', choices: [{ index: 0 }, { index: 1 }], sglext })).toEqual({
      ...{ id: 'r', prompt_token_ids: [1, 2], sglext: { cached_tokens_details: { device: 1 } } },
      choices: [
        { index: 0, token_ids: [3] },
        { index: 1, token_ids: [4, 5] },
      ],
    });
  });

  it('leaves ids that stand where they belong, and answers that have no sglext', () => {
    const told = {
      prompt_token_ids: [9],
      choices: [{ token_ids: [8] }],
      sglext: { input_ids: [1], output_ids: [[2]] },
    };
    expect(withSglextIds(told)).toEqual({ prompt_token_ids: [9], choices: [{ token_ids: [8] }] });
    const plain = { choices: [{ index: 0 }] };
    expect(withSglextIds(plain)).toBe(plain);
  });

  it('knows of no ids where the stream was cut before they came', () => {
    expect(withSglextIds({ choices: [{ index: 0 }], sglext: {} })).toEqual({
      prompt_token_ids: null,
      choices: [{ index: 0 }],
    });
  });
});
