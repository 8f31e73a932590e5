import { expect, it } from 'vitest';
import { sglangChat } from '../../../../../src/conform/engine/shapes/sglang-chat.ts';
import { eventsOf, handAnswer } from './hand-answer.ts';

/** Fields and their order as SGLang's models have them; written by hand. */

const sglang = { dialect: 'sglang' } as const;

it('a whole answer leaves out ids that were not asked for', () => {
  expect(JSON.stringify(sglangChat.whole(handAnswer(sglang)))).toBe(
    '{"id":"r","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,"message":{"role":"assistant",' +
      '"content":"Hi!","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"stop","matched_stop":99}],' +
      '"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3,"prompt_tokens_details":null,"reasoning_tokens":0},' +
      '"metadata":{"weight_version":"v1"}}',
  );
});

it('ids by choice, meta_info and sglext are told where they were asked for', () => {
  const ids = { returnTokenIds: true, returnMetaInfo: true, extInputIds: true, extOutputIds: true };
  expect(sglangChat.whole(handAnswer({ ...sglang, ...ids }))).toMatchObject({
    choices: [
      {
        prompt_token_ids: [7, 8, 9],
        token_ids: [40, 0, 99],
        meta_info: { id: 'r', finish_reason: { type: 'stop', matched: 99 }, completion_tokens: 3 },
      },
    ],
    sglext: { input_ids: [7, 8, 9], output_ids: [[40, 0, 99]] },
  });
});

it('a stream has a chunk for the role, for each text, for the finish reason, and the ids once at its end', () => {
  const answer = handAnswer({ ...sglang, stream: true, extOutputIds: true, includeUsage: true });
  const head = '{"id":"r","object":"chat.completion.chunk","created":5,"model":"m","choices":[';
  const none = '"logprobs":null,"finish_reason":null,"matched_stop":null}]}';
  expect(eventsOf(sglangChat.frames(answer))).toEqual([
    `${head}{"index":0,"delta":{"reasoning_content":null,"role":"assistant","content":""},${none}`,
    `${head}{"index":0,"delta":{"reasoning_content":null,"content":"Hi"},${none}`,
    `${head}{"index":0,"delta":{"reasoning_content":null,"content":"!"},${none}`,
    `${head}{"index":0,"delta":{"reasoning_content":null},"logprobs":null,"finish_reason":"stop","matched_stop":99}]}`,
    `${head}],"usage":null,"sglext":{"output_ids":[[40,0,99]]}}`,
    `${head}],"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3,"prompt_tokens_details":null,"reasoning_tokens":0}}`,
    '[DONE]',
  ]);
});

it('a stream tells each logprob once, also those of tokens without text', () => {
  const answer = handAnswer({ ...sglang, stream: true, logprobs: 0 }, { deltas: ['', 'Hi!', ''] });
  const chunks = eventsOf(sglangChat.frames(answer))
    .slice(0, -1)
    .map((event) => JSON.parse(event).choices[0]);
  const logprobs = chunks.flatMap((choice) => choice.logprobs?.content ?? []);
  expect(logprobs.map(({ logprob }: { logprob: number }) => logprob)).toEqual([-0.5, -0.25, -0.125]);
});

it('where calls are parsed, texts have another form, and logprobs a chunk of their own', () => {
  const asked = { ...sglang, stream: true, logprobs: 0, parsesCalls: true, toolNames: ['search'] };
  const [, text, logprobs] = eventsOf(sglangChat.frames(handAnswer(asked)));
  const head = '{"id":"r","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":';
  expect(text).toBe(
    `${head}{"role":null,"content":"Hi","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}`,
  );
  expect(logprobs).toBe(
    `${head}{"reasoning_content":null},"logprobs":{"content":[{"token":"Hi","logprob":-0.5,"bytes":[72,105],"top_logprobs":[]}]},"finish_reason":null,"matched_stop":null}]}`,
  );
});

it('a thought is told beside the text, and a draft in it is no call', () => {
  const draft = '<tool_call>\n{"name": "search", "arguments": {"query": "draft"}}\n</tool_call>';
  const call = '<tool_call>\n{"name": "search", "arguments": {"query": "a"}}\n</tool_call>';
  const text = `<think>${draft}</think>${call}`;
  const asked = { ...sglang, parsesCalls: true, toolNames: ['search'] };
  expect(sglangChat.whole(handAnswer(asked, { text }))).toMatchObject({
    choices: [
      {
        message: {
          reasoning_content: draft,
          content: '',
          tool_calls: [{ index: 0, type: 'function', function: { name: 'search', arguments: '{"query": "a"}' } }],
        },
        finish_reason: 'tool_calls',
        matched_stop: null,
      },
    ],
  });
  const letters = [...text];
  const answer = handAnswer(
    { ...asked, stream: true },
    { text, deltas: letters, ids: letters.map(() => 1), logprobs: [] },
  );
  const deltas = eventsOf(sglangChat.frames(answer))
    .slice(0, -1)
    .map((event) => JSON.parse(event).choices[0].delta);
  expect(deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe(draft);
  expect(deltas.map(({ content }) => content ?? '').join('')).toBe('');
  expect(deltas.flatMap(({ tool_calls }) => tool_calls ?? [])).toMatchObject([
    { function: { arguments: '{"query": "a"}' } },
  ]);
});
