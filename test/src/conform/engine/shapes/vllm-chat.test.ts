import { expect, it } from 'vitest';
import { vllmChat } from '../../../../../src/conform/engine/shapes/vllm-chat.ts';
import { eventsOf, handAnswer } from './hand-answer.ts';

/** Fields and their order as vLLM's pydantic models have them; written by hand. */

it('a whole answer has null for what was not asked for', () => {
  expect(JSON.stringify(vllmChat.whole(handAnswer({})))).toBe(
    '{"id":"r","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant",' +
      '"content":"Hi!","refusal":null,"annotations":null,"audio":null,"function_call":null,"reasoning":null},' +
      '"logprobs":null,"finish_reason":"stop","stop_reason":null,"token_ids":null,"routed_experts":null}],' +
      '"service_tier":null,"system_fingerprint":null,"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3,' +
      '"prompt_tokens_details":null},"prompt_logprobs":null,"prompt_token_ids":null,"prompt_text":null,' +
      '"kv_transfer_params":null,"ec_transfer_params":null,"metrics":null}',
  );
});

it('ids, logprobs and another end than the first are told where they were asked for', () => {
  const answer = handAnswer({ returnTokenIds: true, logprobs: 0 }, { endsPlainly: false });
  expect(vllmChat.whole(answer)).toMatchObject({
    prompt_token_ids: [7, 8, 9],
    choices: [
      {
        token_ids: [40, 0, 99],
        stop_reason: 99,
        logprobs: {
          content: [
            { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] },
            { token: '!', logprob: -0.25, bytes: [33], top_logprobs: [] },
            { token: '<end>', logprob: -0.125, top_logprobs: [] },
          ],
        },
      },
    ],
  });
});

it('a chunk leaves out what it does not set', () => {
  const head = '{"id":"r","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,';
  expect(eventsOf(vllmChat.frames(handAnswer({ stream: true, includeUsage: true })))).toEqual([
    `${head}"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null,"prompt_text":null}`,
    `${head}"delta":{"content":"Hi"},"logprobs":null,"finish_reason":null,"token_ids":null}]}`,
    `${head}"delta":{"content":"!"},"logprobs":null,"finish_reason":null,"token_ids":null}]}`,
    `${head}"delta":{},"logprobs":null,"finish_reason":"stop","stop_reason":null,"token_ids":null}]}`,
    '{"id":"r","object":"chat.completion.chunk","created":5,"model":"m","choices":[],"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3}}',
    '[DONE]',
  ]);
});

it('a stream tells the ids of the prompt once and those of each token with it, also of one without text', () => {
  const events = eventsOf(
    vllmChat.frames(handAnswer({ stream: true, returnTokenIds: true }, { deltas: ['', 'Hi!', ''] })),
  );
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
  expect(chunks.map(({ prompt_token_ids }) => prompt_token_ids)).toEqual([[7, 8, 9], undefined, undefined, undefined]);
  expect(chunks.flatMap(({ choices }) => choices[0].token_ids ?? [])).toEqual([40, 0, 99]);
  expect(chunks[1].choices[0].delta).toEqual({});
});

it('a call is told in the message, and the finish reason says so', () => {
  const text = 'So:\n<tool_call>\n{"name": "search", "arguments": {"query": "a"}}\n</tool_call>';
  const asked = { parsesCalls: true, toolNames: ['search'] };
  const call = { type: 'function', function: { name: 'search', arguments: '{"query": "a"}' } };
  const whole = vllmChat.whole(handAnswer(asked, { text, deltas: [text, '', ''] }));
  expect(whole).toMatchObject({
    choices: [{ message: { content: 'So:\n', tool_calls: [call] }, finish_reason: 'tool_calls' }],
  });
  const cut = [text.slice(0, 8), text.slice(8, -3), text.slice(-3)];
  const events = eventsOf(vllmChat.frames(handAnswer({ ...asked, stream: true }, { text, deltas: cut })));
  const deltas = events.slice(1, -1).map((event) => JSON.parse(event).choices[0]);
  expect(deltas.map(({ delta }) => delta.content)).toEqual(['So:\n', undefined]);
  expect(deltas.at(-1)).toMatchObject({ delta: { tool_calls: [{ ...call, index: 0 }] }, finish_reason: 'tool_calls' });
});
