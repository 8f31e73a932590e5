import { expect, it } from 'vitest';
import { sglangGenerate } from '../../../../../src/conform/engine/shapes/sglang-generate.ts';
import { eventsOf, handAnswer } from './hand-answer.ts';

/** Fields as SGLang's tokenizer manager gives them; written by hand. */

const generate = { route: 'generate', dialect: 'sglang', textInLogprobs: false } as const;

it('a whole answer has its ids, and of a call of one version that version alone', () => {
  expect(JSON.stringify(sglangGenerate(false).whole(handAnswer(generate)))).toBe(
    '{"text":"Hi!","output_ids":[40,0,99],"meta_info":{"id":"r","finish_reason":{"type":"stop","matched":99},' +
      '"prompt_tokens":3,"weight_version":"v1","num_retractions":0,"reasoning_tokens":0,"completion_tokens":3,' +
      '"cached_tokens":0,"e2e_latency":0.125}}',
  );
});

it('logprobs are of the prompt from where they were asked for, and of the completion with its ids', () => {
  const asked = { ...generate, logprobs: 0, logprobStart: 1, returnPromptIds: true };
  expect(sglangGenerate(false).whole(handAnswer(asked, { promptLogprobs: [null, -2] }))).toMatchObject({
    prompt_token_ids: [7, 8, 9],
    meta_info: {
      input_token_logprobs: [
        [null, 8, null],
        [-2, 9, null],
      ],
      output_token_logprobs: [
        [-0.5, 40, null],
        [-0.25, 0, null],
        [-0.125, 99, null],
      ],
      output_token_logprobs_length: 3,
    },
  });
});

it('spans of versions are half-open, and the version told is the last', () => {
  const spans = [
    { start: 0, version: 'a' },
    { start: 2, version: 'b' },
  ];
  expect(sglangGenerate(false).whole(handAnswer(generate, { spans }))).toMatchObject({
    meta_info: {
      weight_version: 'b',
      weight_versions: [
        { version: 'a', start: 0, end: 2 },
        { version: 'b', start: 2, end: 3 },
      ],
    },
  });
});

it('chunks of a stream tell all so far, or what is new', () => {
  const read = (incremental: boolean) =>
    eventsOf(sglangGenerate(incremental).frames(handAnswer({ ...generate, stream: true, logprobs: 0 })))
      .slice(0, -1)
      .map((event) => JSON.parse(event));
  const whole = read(false);
  expect(whole.map(({ text, output_ids }) => [text, output_ids])).toEqual([
    ['Hi', [40]],
    ['Hi!', [40, 0]],
    ['Hi!', [40, 0, 99]],
  ]);
  expect(whole.map(({ meta_info }) => meta_info.finish_reason)).toEqual([null, null, { type: 'stop', matched: 99 }]);
  const added = read(true);
  expect(added.map(({ text, output_ids }) => [text, output_ids])).toEqual([
    ['Hi', [40]],
    ['!', [0]],
    ['', [99]],
  ]);
  expect(added.map(({ meta_info }) => meta_info.output_token_logprobs)).toEqual([
    [[-0.5, 40, null]],
    [[-0.25, 0, null]],
    [[-0.125, 99, null]],
  ]);
  expect(added.map(({ meta_info }) => meta_info.output_token_logprobs_length)).toEqual([1, 2, 3]);
});

it('one logprob too many is told with the last id again', () => {
  const answer = handAnswer({ ...generate, logprobs: 0 }, { logprobs: [-0.5, -0.25, -0.125, -1] });
  expect(sglangGenerate(false).whole(answer)).toMatchObject({
    output_ids: [40, 0, 99],
    meta_info: { output_token_logprobs_length: 4, output_token_logprobs: { 3: [-1, 99, null] } },
  });
});
