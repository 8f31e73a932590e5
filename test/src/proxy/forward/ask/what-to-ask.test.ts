import { describe, expect, it } from 'vitest';
import { type Engine, isStream, whatToAsk } from '../../../../../src/proxy/forward/ask/what-to-ask.ts';
import { cutText } from '../../../../../src/proxy/forward/json/cut.ts';
import { bodyObject } from '../../../../../src/proxy/forward/json/insert.ts';
import type { ModelRoute } from '../../../../../src/proxy/forward/model-route.ts';

function asking(engine: Engine, route: ModelRoute, body: object, headers: readonly string[] = []) {
  const found = bodyObject(Buffer.from(JSON.stringify(body)));
  if (found === null) throw new Error('that is no object');
  return whatToAsk(engine, route, { body: found, hasHeader: (name) => headers.includes(name) });
}

function asked(engine: Engine, route: ModelRoute, body: object, given: readonly string[] = []) {
  const { members, headers } = asking(engine, route, body, given);
  return { ...Object.fromEntries(members), ...Object.fromEntries(headers) };
}

/** What a client sees of an answer. */
const seen = (engine: Engine, route: ModelRoute, body: object, answer: object): unknown =>
  JSON.parse(String(cutText(Buffer.from(JSON.stringify(answer)), asking(engine, route, body).cut)));

describe('what is asked of vLLM', () => {
  it('is ids and the logprobs of what was sampled', () => {
    expect(asked('vllm', 'chat', { messages: [] })).toEqual({ return_token_ids: 'true', logprobs: 'true' });
    expect(asked('vllm', 'completions', { prompt: 'x' })).toEqual({ return_token_ids: 'true', logprobs: '0' });
    expect(asked('vllm', 'chat', { logprobs: false, return_token_ids: null })).toEqual({
      return_token_ids: 'true',
      logprobs: 'true',
    });
  });

  it('is not what the client asked for, nor what would make another answer of it', () => {
    expect(asked('vllm', 'chat', { logprobs: true, return_token_ids: true })).toEqual({});
    expect(asked('vllm', 'completions', { logprobs: 0 })).toEqual({ return_token_ids: 'true' });
    // Without logprobs they are refused: the client is to hear it.
    expect(asked('vllm', 'chat', { top_logprobs: 3 })).toEqual({ return_token_ids: 'true' });
    expect(asked('vllm', 'completions', { prompt: 'x', echo: true })).toEqual({});
    expect(asked('vllm', 'chat', { use_beam_search: true })).toEqual({});
  });

  it('is null again in what the client sees, and what the client asked for stays', () => {
    const answer = {
      prompt_token_ids: [1],
      choices: [{ token_ids: [2], logprobs: { content: [] }, stop_reason: null }],
    };
    expect(seen('vllm', 'chat', {}, answer)).toEqual({
      prompt_token_ids: null,
      choices: [{ token_ids: null, logprobs: null, stop_reason: null }],
    });
    expect(seen('vllm', 'chat', { logprobs: true }, answer)).toEqual({
      prompt_token_ids: null,
      choices: [{ token_ids: null, logprobs: { content: [] }, stop_reason: null }],
    });
    const own = { choices: [{ prompt_token_ids: [1], token_ids: [2], logprobs: null }] };
    expect(seen('vllm', 'completions', { return_token_ids: true }, own)).toEqual(own);
  });
});

describe('what is asked of SGLang', () => {
  it('is logprobs of /generate, and the ids of a prompt that is text', () => {
    expect(asked('sglang', 'generate', { input_ids: [1] })).toEqual({ return_logprob: 'true' });
    expect(asked('sglang', 'generate', { text: 'x', return_logprob: false })).toEqual({
      return_logprob: 'true',
      return_prompt_token_ids: 'true',
    });
    expect(asked('sglang', 'generate', { input_ids: [1], return_logprob: [true] })).toEqual({});
  });

  it('leaves nothing of them in /generate, in one answer or in several', () => {
    const one = (more: object, meta: object) => ({
      text: 'x',
      output_ids: [2],
      ...more,
      meta_info: { id: 'r', ...meta },
    });
    const added = one(
      { prompt_token_ids: [1] },
      { output_token_logprobs: [[-1, 2, null]], input_token_logprobs: [], output_token_logprobs_length: 1 },
    );
    expect(seen('sglang', 'generate', { text: 'x' }, added)).toEqual(one({}, {}));
    expect(seen('sglang', 'generate', { text: ['x', 'y'] }, [added, added])).toEqual([one({}, {}), one({}, {})]);
  });

  it('is ids, meta_info and logprobs of a chat that is not streamed, and sglext of one that is', () => {
    expect(asked('sglang', 'chat', { messages: [] })).toEqual({
      ...{ logprobs: 'true', return_prompt_token_ids: 'true', return_token_ids: 'true', return_meta_info: 'true' },
    });
    expect(asked('sglang', 'chat', { stream: true })).toEqual({
      ...{ logprobs: 'true', 'x-sglext-return-input-ids': '1', 'x-sglext-return-output-ids': '1' },
    });
    expect(asked('sglang', 'chat', { stream: true, return_input_ids: true }, ['x-sglext-return-output-ids'])).toEqual({
      logprobs: 'true',
    });
    // They come with those of the prompt, which the client then asked for.
    expect(asked('sglang', 'chat', { return_token_ids: true })).toEqual({ logprobs: 'true', return_meta_info: 'true' });
    // With meta_info they would no longer be in sglext.
    expect(asked('sglang', 'chat', { return_routed_experts: true })).not.toHaveProperty('return_meta_info');
  });

  it('is left out again, but for logprobs, which are null', () => {
    const answer = {
      choices: [{ index: 0, logprobs: { content: [] }, prompt_token_ids: [1], token_ids: [2], meta_info: { id: 1 } }],
    };
    expect(seen('sglang', 'chat', {}, answer)).toEqual({ choices: [{ index: 0, logprobs: null }] });
  });

  it('is ids of completions with an echo, without the logprobs of their prompt', () => {
    expect(asked('sglang', 'completions', { echo: true })).toEqual({ return_token_ids: 'true' });
    expect(asked('sglang', 'completions', {})).toEqual({ return_token_ids: 'true', logprobs: '0' });
  });
});

describe('what is asked of anything else', () => {
  it('is nothing', () => {
    expect(asked('openai', 'chat', {})).toEqual({});
    expect(asked('vllm', 'generate', {})).toEqual({});
  });

  it('depends on whether the answer is streamed, as the body says', () => {
    const of = (text: string) => isStream(bodyObject(Buffer.from(text)) ?? expect.fail());
    expect([of('{"stream":true}'), of('{"stream":false}'), of('{}')]).toEqual([true, false, false]);
  });
});
