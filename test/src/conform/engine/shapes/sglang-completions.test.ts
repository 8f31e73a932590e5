import { expect, it } from 'vitest';
import { sglangCompletions } from '../../../../../src/conform/engine/shapes/sglang-completions.ts';
import { eventsOf, handAnswer } from './hand-answer.ts';

/** Fields and their order as SGLang's models have them; written by hand. */

const sglang = { route: 'completions', dialect: 'sglang' } as const;

it('a whole answer leaves out ids that were not asked for', () => {
  expect(JSON.stringify(sglangCompletions.whole(handAnswer(sglang)))).toBe(
    '{"id":"r","object":"text_completion","created":5,"model":"m","choices":[{"index":0,"text":"Hi!","logprobs":null,' +
      '"finish_reason":"stop","matched_stop":99}],"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3,' +
      '"prompt_tokens_details":null,"reasoning_tokens":0},"metadata":{"weight_version":"v1"}}',
  );
});

it('a stream tells ids by chunk, and usage as null until the end', () => {
  const answer = handAnswer({ ...sglang, stream: true, returnTokenIds: true, includeUsage: true });
  const head = '{"id":"r","object":"text_completion","created":5,"model":"m","choices":[';
  expect(eventsOf(sglangCompletions.frames(answer))).toEqual([
    `${head}{"index":0,"text":"Hi","logprobs":null,"finish_reason":null,"matched_stop":null,"token_ids":[40],"prompt_token_ids":[7,8,9]}],"usage":null}`,
    `${head}{"index":0,"text":"!","logprobs":null,"finish_reason":null,"matched_stop":null,"token_ids":[0]}],"usage":null}`,
    `${head}{"index":0,"text":"","logprobs":null,"finish_reason":"stop","matched_stop":99,"token_ids":[99]}],"usage":null}`,
    `${head}],"usage":{"prompt_tokens":3,"total_tokens":6,"completion_tokens":3,"reasoning_tokens":0}}`,
    '[DONE]',
  ]);
});

it('logprobs have the place of each text as -1, and alternatives only where they were asked for', () => {
  const [none, one] = [0, 1].map((logprobs) => sglangCompletions.whole(handAnswer({ ...sglang, logprobs })));
  expect(none).toMatchObject({
    choices: [{ logprobs: { text_offset: [-1, -1, -1], token_logprobs: [-0.5, -0.25, -0.125], top_logprobs: [] } }],
  });
  expect(one).toMatchObject({
    choices: [{ logprobs: { top_logprobs: [{ Hi: -0.5 }, { '!': -0.25 }, { '<end>': -0.125 }] } }],
  });
});
