import { describe, expect, it } from 'vitest';
import { decodedText } from '../../../../../web/src/pages/rollout/call-text.ts';
import type { Finding } from '../../../../../web/src/pages/rollout/findings.ts';
import { placesOf } from '../../../../../web/src/pages/rollout/token-place.ts';

const turn = (number: number, segment_id: string, start: number, end: number) => ({
  ...{
    turn: number,
    segment_id,
    start,
    end,
    call_id: `c${number}`,
    finish_reason: null,
    temperature: null,
    top_p: null,
  },
  ...{ logprobs_mode: 'raw', reward: null },
});
const segment = (segment_id: string, parent_segment_id: string | null, fork_at: number | null, length: number) => ({
  ...{ segment_id, parent_segment_id, fork_at, prompt_len: 4, sampled_mask: [], loss_mask: [], logprobs: null },
  ...{ token_ids: Array.from({ length }, (_, at) => at), weight_spans: [] },
});
const TRAJECTORY = {
  segments: [segment('main', null, null, 10), segment('main~1', 'main', 5, 12)],
  turns: [turn(0, 'main', 4, 10), turn(1, 'main~1', 8, 12)],
};
const finding = (changes: Partial<Finding>): Finding => ({
  ...{ audit: 'tokens', class: 'pipeline_drift', severity: 'fail', turn: null, index: null, detail: '' },
  ...{ ids: [], expectedIds: [], text: '', expectedText: '' },
  ...changes,
});
const noText = () => null;

describe('the tokens that a finding is about', () => {
  it('of a history that changed: what was sampled, in the parent, then what the new prompt holds', () => {
    const drift = finding({ turn: 1, index: 5, expectedIds: [39, 83722, 1], ids: [72239, 1] });
    expect(placesOf(drift, TRAJECTORY, noText)).toEqual([
      { segment: 'main', from: 5, to: 7, by: 'token' },
      { segment: 'main~1', from: 5, to: 6, by: 'token' },
    ]);
  });

  it('of an index in a call: that token of its segment', () => {
    const found = finding({ audit: 'numbers', class: 'logprob_positive', turn: 1, index: 9 });
    expect(placesOf(found, TRAJECTORY, noText)).toEqual([{ segment: 'main~1', from: 9, to: 10, by: 'token' }]);
  });

  it('of characters of a call: the tokens that hold them', () => {
    const texts = ['say ', '<call>', '{"a"', ':1', '</call>', '<end>'];
    const decoded = decodedText([0, 1, 2, 3, 4, 5], 0, 6, (id) => ({ text: texts[id] ?? '' }));
    const found = finding({
      audit: 'tools',
      class: 'silent_repair',
      turn: 0,
      index: 4,
      expectedText: '<call>{"a":1</call>',
    });
    expect(placesOf(found, TRAJECTORY, () => decoded)).toEqual([{ segment: 'main', from: 5, to: 9, by: 'character' }]);
  });

  it('of characters without a text to count them in: the call, since anything closer would be a guess', () => {
    const found = finding({ audit: 'tools', class: 'malformed', turn: 0, index: 4 });
    expect(placesOf(found, TRAJECTORY, noText)).toEqual([{ segment: 'main', from: 4, to: 10, by: 'call' }]);
  });

  it('of a call without tokens: none', () => {
    const bare = { segments: [segment('main', null, null, 0)], turns: [turn(0, 'main', 0, 0)] };
    expect(placesOf(finding({ audit: 'tools', turn: 0 }), bare, noText)).toEqual([]);
  });

  it('of the ending: the last token that was sampled; of the clocks: none', () => {
    const ended = finding({ audit: 'termination', class: 'termination_conflict' });
    expect(placesOf(ended, TRAJECTORY, noText)).toEqual([{ segment: 'main~1', from: 11, to: 12, by: 'end' }]);
    expect(placesOf(finding({ audit: 'wall', class: 'clock_skew' }), TRAJECTORY, noText)).toEqual([]);
  });
});
