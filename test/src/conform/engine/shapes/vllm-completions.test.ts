import { expect, it } from 'vitest';
import { vllmCompletions } from '../../../../../src/conform/engine/shapes/vllm-completions.ts';
import { eventsOf, handAnswer } from './hand-answer.ts';

/** Fields and their order as vLLM's pydantic models have them; written by hand. */

it('a whole answer has null for what was not asked for', () => {
  expect(JSON.stringify(vllmCompletions.whole(handAnswer({ route: 'completions' })))).toBe(
    '{"id":"r","object":"text_completion","created":5,"model":"m","choices":[{"index":0,"text":"Hi!","logprobs":null,' +
      '"finish_reason":"stop","stop_reason":null,"token_ids":null,"prompt_logprobs":null,"prompt_token_ids":null,' +
      '"routed_experts":null}],"service_tier":null,"system_fingerprint":null,"usage":{"prompt_tokens":3,"total_tokens":6,' +
      '"completion_tokens":3,"prompt_tokens_details":null},"kv_transfer_params":null,"ec_transfer_params":null,"metrics":null}',
  );
});

it('each chunk sets all fields of its choice, the ids of the prompt in the first', () => {
  const answer = handAnswer({ route: 'completions', stream: true, returnTokenIds: true, logprobs: 0 });
  const head = '{"id":"r","object":"text_completion","created":5,"model":"m","choices":[{"index":0,';
  expect(eventsOf(vllmCompletions.frames(answer))).toEqual([
    `${head}"text":"Hi","logprobs":{"text_offset":[0],"token_logprobs":[-0.5],"tokens":["Hi"],"top_logprobs":[{"Hi":-0.5}]},"finish_reason":null,"stop_reason":null,"prompt_token_ids":[7,8,9],"token_ids":[40]}]}`,
    `${head}"text":"!","logprobs":{"text_offset":[2],"token_logprobs":[-0.25],"tokens":["!"],"top_logprobs":[{"!":-0.25}]},"finish_reason":null,"stop_reason":null,"prompt_token_ids":null,"token_ids":[0]}]}`,
    `${head}"text":"","logprobs":{"text_offset":[3],"token_logprobs":[-0.125],"tokens":["<end>"],"top_logprobs":[{"<end>":-0.125}]},"finish_reason":"stop","stop_reason":null,"prompt_token_ids":null,"token_ids":[99]}]}`,
    '[DONE]',
  ]);
});

it('of an abort before the first token there is one empty chunk', () => {
  const nothing = { ids: [], logprobs: [], deltas: [], text: '', finish: { type: 'abort', message: 'no' } } as const;
  const events = eventsOf(vllmCompletions.frames(handAnswer({ stream: true }, nothing)));
  expect(events.length).toBe(2);
  expect(JSON.parse(events[0] ?? '').choices[0]).toMatchObject({ text: '', finish_reason: 'abort' });
});
