import { describe, expect, it } from 'vitest';
import { tokensGone } from '../../../processors/replay/tokens-gone.ts';
import { sampleEvent } from '../../src/clickhouse/tables/sample-rows.ts';

const call = (rollout_id: string, prompt: readonly number[], sampled: readonly number[]) => ({
  unit: 'run/0/g/g',
  cause: { offset: 0, appendedAtMs: 0 },
  event: sampleEvent({
    ...{ rollout_id, kind: 'model_call' },
    model_call: {
      ...{ call_id: 'c', prompt_prefix_len: 0, logprobs_mode: 'raw', weight_spans: [], finish_reason: 'stop' },
      prompt_delta_ids: Buffer.from(Uint32Array.from(prompt).buffer),
      completion_ids: Buffer.from(Uint32Array.from(sampled).buffer),
      completion_logprobs: null,
    },
  }),
});
const zeros = (n: number): number[] => Array(n).fill(0);

describe('ids that are all 0', () => {
  it('are no tokens, and the rollouts that have nothing else are named', () => {
    const records = [
      call('gone', zeros(10), zeros(4)),
      call('there', zeros(20), [0, 0, 7]),
      call('gone', zeros(1), zeros(1)),
    ];
    expect(tokensGone({ records })).toMatchObject({ reason: 'tokens_gone', rollouts: ['gone'] });
  });

  it('may be a few tokens of a rollout whose others are not, before or after them, or all of a very short one', () => {
    expect(tokensGone({ records: [call('a', [65_536], zeros(40)), call('a', zeros(40), zeros(1))] })).toBeNull();
    expect(tokensGone({ records: [call('a', zeros(40), zeros(1)), call('a', [], [1])] })).toBeNull();
    expect(tokensGone({ records: [call('a', zeros(14), [0])] })).toBeNull();
    expect(tokensGone({ records: [] })).toBeNull();
  });
});
