import type { TruthCall } from '../../../../src/conform/truth.ts';

/** A call that nothing happened to. */
export function truthCall(facts: Partial<TruthCall>): TruthCall {
  return {
    ...{
      scenario: 'honest',
      task: 0,
      call: 0,
      turn: 0,
      attempt: 0,
      route: 'generate',
      dialect: 'sglang',
      streamed: false,
    },
    ...{ receivedAtUs: 0, requestId: 'r', promptIds: [1], promptSentAsIds: true, promptText: 'x', messages: null },
    ...{ commonPrefix: null, heldLength: null, heldCall: null, completionIds: [], logprobs: [], rawText: '' },
    ...{ parsedCalls: null, finishReason: null, weightSpans: [], status: 200, misbehaved: null, ended: 'complete' },
    ...facts,
  };
}
