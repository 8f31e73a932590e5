import { describe, expect, it } from 'vitest';
import { gatherRollouts, type RecordedStep } from '../../../../src/conform/report/gather-rollouts.ts';

function step(said: Partial<RecordedStep>): RecordedStep {
  return {
    ...{ runId: 'r', rolloutId: 'a', taskId: 't', attempt: 0, segmentId: 'main', where: 'f:1', texts: [] },
    ...{ call: null, result: null, ending: null },
    ...said,
  };
}

function called(prefixLength: number, deltaIds: number[] | null, completionIds: number[] | null): RecordedStep {
  const nothing = { logprobs: null, rawText: null, finishReason: null, weightSpans: [], error: null, toolCalls: [] };
  return step({ call: { ...nothing, prefixLength, deltaIds, completionIds } });
}

describe('rollouts of a record', () => {
  it('have whole prompts, whatever of them travelled', () => {
    const [rollout] = gatherRollouts([called(0, [1, 2], [3]), called(3, [4], [5, 6]), called(1, [9], [7])]);
    expect(rollout?.calls.map(({ promptIds }) => promptIds)).toEqual([
      [1, 2],
      [1, 2, 3, 4],
      [1, 9],
    ]);
  });

  it('have no prompt where ids before it are not known, and each segment its own', () => {
    const other = { ...called(0, [8], [9]), segmentId: 'sub' };
    const [rollout] = gatherRollouts([called(0, [1], null), called(2, [3], [4]), other]);
    expect(rollout?.calls.map(({ promptIds }) => promptIds)).toEqual([[1], null, [8]]);
  });

  it('have the results of a call with it: by its turn, else the last', () => {
    const result = { callId: 'c', name: null, executed: null, status: 'ok', output: 'x' };
    const [rollout] = gatherRollouts([
      called(0, [1], [2]),
      step({ result: { ...result, turn: 0 } }),
      called(2, [3], [4]),
      step({ result: { ...result, output: 'y', turn: null } }),
    ]);
    expect(rollout?.calls.map(({ results }) => results.map(({ output }) => output))).toEqual([['x'], ['y']]);
  });

  it('have no call where input was sent and nothing sampled', () => {
    const [rollout] = gatherRollouts([called(0, [1], [2]), called(2, [3], [])]);
    expect(rollout?.calls).toHaveLength(1);
  });

  it('are apart by rollout and attempt, with the last word on how they ended', () => {
    const ending = { raw: 'x', system: 's', category: 'completion', detail: null };
    const rollouts = gatherRollouts([
      step({ texts: ['go'] }),
      step({ attempt: 1 }),
      step({ ending }),
      step({ rolloutId: 'b' }),
    ]);
    expect(rollouts.map(({ rolloutId, attempt, texts, ending: ended }) => [rolloutId, attempt, texts, ended])).toEqual([
      ['a', 0, ['go'], ending],
      ['a', 1, [], null],
      ['b', 0, [], null],
    ]);
  });
});
