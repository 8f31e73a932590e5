import { describe, expect, test } from 'vitest';
import { type EngineAnswer, engineAnswerOf } from '../../../../src/ingest/engines/engine-answer.ts';
import type { JsonObject } from '../../../../src/ingest/exact-number.ts';
import { floatsOf, idsOf } from '../importers/imported.ts';

const PATHS = { request: 'request', response: 'response' };

function answerOf(request: JsonObject, response: JsonObject): EngineAnswer {
  return engineAnswerOf(request, response, PATHS);
}

function sglang(meta: JsonObject, change: JsonObject = {}): JsonObject {
  return {
    text: 'ab',
    output_ids: [5, 6],
    meta_info: {
      id: 'r1',
      finish_reason: { type: 'stop', matched: 6 },
      ...{ prompt_tokens: 2, completion_tokens: 2, cached_tokens: 1, reasoning_tokens: 0, e2e_latency: 0.25 },
      output_token_logprobs: [
        [-0.5, 5, null],
        [-1, 6, null],
      ],
      output_token_logprobs_length: 2,
      ...meta,
    },
    ...change,
  };
}

const asked: JsonObject = { input_ids: [1, 2], sampling_params: { temperature: 1, max_new_tokens: 8, stop: ['x'] } };

describe('SGLang /generate', () => {
  test('gives ids, logprobs, usage, times and sampling as they are', () => {
    const answer = answerOf(asked, sglang({ num_retractions: 3 }));
    expect(answer.callId).toBe('r1');
    expect(idsOf(answer.prompt)).toEqual([1, 2]);
    expect(idsOf(answer.call.completion_ids)).toEqual([5, 6]);
    expect(floatsOf(answer.call.completion_logprobs)).toEqual([-0.5, -1]);
    expect(answer.call).toMatchObject({
      ...{ finish_reason: '{"type":"stop","matched":6}', server_e2e_us: 250_000, weight_spans: [] },
      usage: { prompt_tokens: 2, completion_tokens: 2, cached_tokens: 1, reasoning_tokens: 0 },
      sampling: { temperature: 1, max_tokens: 8, extra_json: '{"stop":["x"]}' },
    });
    expect(answer.extra.meta_info).toEqual({ num_retractions: 3 });
    expect(answer.extra.disagreement).toBeUndefined();
  });

  test('an abort that came as HTTP 200 stays one, whole', () => {
    const finish_reason = { type: 'abort', message: 'weights', status_code: null, err_type: null };
    expect(answerOf(asked, sglang({ finish_reason })).call.finish_reason).toBe(JSON.stringify(finish_reason));
  });

  test('logprobs that are more than the ids are kept as evidence, and never cut', () => {
    const output_token_logprobs = [
      [-0.5, 5, null],
      [-1, 6, null],
      [-2, 7, null],
    ];
    const answer = answerOf(asked, sglang({ output_token_logprobs, output_token_logprobs_length: 3 }));
    expect(idsOf(answer.call.completion_ids)).toEqual([5, 6]);
    expect(answer.call.completion_logprobs).toBeNull();
    expect(answer.extra.disagreement).toEqual({ completion_ids: 2, logprobs: [-0.5, -1, -2] });
  });

  test('logprobs of other tokens are left out whole', () => {
    const answer = answerOf(
      asked,
      sglang({
        output_token_logprobs: [
          [-0.5, 5, null],
          [-1, 9, null],
        ],
      }),
    );
    expect(answer.call.completion_logprobs).toBeNull();
    expect(answer.extra.disagreement).toMatchObject({ first_id: 1, of_logprob: 9 });
  });

  test('a prompt that the engine read otherwise is told with both sides', () => {
    const answer = answerOf(asked, sglang({}, { prompt_token_ids: [1, 3] }));
    expect(idsOf(answer.prompt)).toEqual([1, 2]);
    expect(answer.extra.disagreement).toEqual({ prompt_ids: 2, first_prompt_id: 1, engine_prompt_ids: [1, 3] });
    expect(answerOf(asked, sglang({ prompt_tokens: 258 })).extra.disagreement).toEqual({
      prompt_ids: 2,
      prompt_tokens: 258,
    });
  });

  test('without a prompt that was sent it is the one that the engine read, or none', () => {
    expect(idsOf(answerOf({ text: 'q' }, sglang({}, { prompt_token_ids: [4] })).prompt)).toEqual([4]);
    expect(answerOf({ text: 'q' }, sglang({})).prompt).toBeNull();
  });

  test.each([
    [
      'spans that cover every token',
      {
        weight_version: '8',
        weight_versions: [
          { version: '7', start: 0, end: 1 },
          { version: '8', start: 1, end: 2 },
        ],
      },
      [
        { start: 0, version: '7' },
        { start: 1, version: '8' },
      ],
    ],
    ['one stamped at the end', { weight_version: '8' }, [{ start: 0, version: '8' }]],
    ['spans with a hole, which are evidence', { weight_versions: [{ version: '7', start: 0, end: 1 }] }, []],
  ])('versions of the weights: %s', (_, meta, spans) => {
    expect(answerOf(asked, sglang(meta)).call.weight_spans).toEqual(spans);
  });

  test('a token without a logprob leaves none, and says which', () => {
    const answer = answerOf(
      asked,
      sglang({
        output_token_logprobs: [
          [-0.5, 5, null],
          [null, 6, null],
        ],
      }),
    );
    expect(answer.call.completion_logprobs).toBeNull();
    expect(answer.extra.missing_logprobs).toEqual([1]);
  });

  test.each([
    [{ output_ids: [5, -6] }, 'response.output_ids[1]'],
    [{ output_ids: 'ids' }, 'response.output_ids'],
    [
      {
        meta_info: {
          output_token_logprobs: [
            ['x', 5, null],
            [-1, 6, null],
          ],
        },
      },
      'response.meta_info.output_token_logprobs[0]',
    ],
  ])('what is no token or no logprob is refused by name: %j', (change, field) => {
    expect(() => answerOf(asked, sglang({}, change))).toThrow(expect.objectContaining({ field }));
  });
});

describe('OpenAI', () => {
  const chat = (message: JsonObject, choice: JsonObject = {}): JsonObject => ({
    id: 'chatcmpl-1',
    model: 'm-1',
    choices: [
      { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', token_ids: [5, 6], ...choice },
    ],
    prompt_token_ids: [1, 2],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4, prompt_tokens_details: { cached_tokens: 1 } },
  });

  test('chat completions of a server that gives token ids', () => {
    const logprobs = {
      content: [
        { token: 'a', logprob: -0.5 },
        { token: 'b', logprob: -1 },
      ],
    };
    const answer = answerOf({ model: 'm', temperature: 0.5, messages: [] }, chat({ content: 'ab' }, { logprobs }));
    expect(idsOf(answer.prompt)).toEqual([1, 2]);
    expect(idsOf(answer.call.completion_ids)).toEqual([5, 6]);
    expect(floatsOf(answer.call.completion_logprobs)).toEqual([-0.5, -1]);
    expect(answer.call).toMatchObject({
      model: 'm-1',
      finish_reason: 'stop',
      sampling: { temperature: 0.5 },
      usage: { cached_tokens: 1 },
    });
    expect(answer.call.raw_text?.toString()).toBe('ab');
  });

  test('a text that a parser has taken calls or thoughts out of is not raw', () => {
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'buy', arguments: '{"item":"tea"}' } }];
    const called = answerOf({}, chat({ content: '', tool_calls }));
    expect(called.call.raw_text).toBeNull();
    expect(called.call.tool_calls).toMatchObject([{ call_id: 'c1', name: 'buy' }]);
    expect(answerOf({}, chat({ content: 'a', reasoning_content: 'hm' })).call.raw_text).toBeNull();
  });

  test('completions with ids in the place of the texts', () => {
    const logprobs = { tokens: ['token_id:5', 'token_id:6'], token_logprobs: [-0.5, -1] };
    const response = {
      id: 'cmpl-1',
      model: 'm',
      choices: [{ index: 0, text: 'ab', finish_reason: 'length', logprobs }],
    };
    const answer = answerOf({ prompt: [1, 2] }, response);
    expect(idsOf(answer.prompt)).toEqual([1, 2]);
    expect(idsOf(answer.call.completion_ids)).toEqual([5, 6]);
    expect(answer.call).toMatchObject({ finish_reason: 'length' });
  });

  test('a prompt that is a text has no ids, and stays', () => {
    const answer = answerOf({ prompt: 'q' }, { choices: [{ text: 'a' }] });
    expect(answer.prompt).toBeNull();
    expect(answer.extra.request).toEqual({ prompt: 'q' });
  });

  test('of several choices the others stand beside the first', () => {
    const response = { ...chat({ content: 'a' }) };
    const other = { index: 1, text: 'b' };
    response.choices = [...(Array.isArray(response.choices) ? response.choices : []), other];
    expect(answerOf({}, response).extra.choices).toEqual([other]);
  });
});

test('an answer of no known shape is refused, and says what it has', () => {
  expect(() => answerOf({}, { message: 'hello' })).toThrow(
    expect.objectContaining({ field: 'response', got: 'message' }),
  );
});
