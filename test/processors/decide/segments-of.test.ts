import fc from 'fast-check';
import { expect, it } from 'vitest';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

it('however often the history is rewritten, each sampled token is in the loss once, in the segment that sampled it', () => {
  const call = fc.record({ keep: fc.double({ min: 0, max: 1, noNaN: true }), prompt: fc.nat(3), sampled: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 8 }), (calls) => {
      const of = attemptOf();
      const lane = createTestLane();
      let held = 0;
      let sampledTokens = 1;
      const events = calls.map(({ keep, prompt, sampled }, i) => {
        const prefix = Math.floor(held * keep);
        held = prefix + prompt + sampled;
        sampledTokens += sampled;
        const tokens = { prompt: Array(prompt).fill(10 + i), sampled: Array(sampled).fill(100 + i) };
        return of.call(i + 1, { prompt_prefix_len: prefix, ...tokens });
      });
      const last = of.call(calls.length + 1, { prompt_prefix_len: held, prompt: [1], sampled: [2] });
      lane.fold(of.start(), ...events, last, of.end(calls.length + 2), of.verdict(1));
      const trajectory = lane.effects().rows.trajectories[0]?.trajectory;
      const inLoss = trajectory?.segments.map(({ loss_mask }) => loss_mask.reduce((sum, bit) => sum + bit, 0));
      expect(trajectory).toMatchObject({
        ...{ segment_count: inLoss?.length, segment_loss_tokens: inLoss, rollout_loss_tokens: sampledTokens },
      });
      expect(inLoss?.reduce((sum, tokens) => sum + tokens, 0)).toBe(sampledTokens);
      expect(lane.effects().rows.decisions[0]?.n_sampled_tokens).toBe(sampledTokens);
    }),
  );
});
