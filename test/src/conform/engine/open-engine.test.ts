import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { Tokenizer as Library } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../../src/conform/engine/engine-config.ts';
import { openEngine } from '../../../../src/conform/engine/open-engine.ts';
import { taskOf } from '../../../../src/conform/scenarios/task.ts';
import { TOOLS } from '../../../../src/conform/scenarios/tools.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../../../src/tokenizers/load-tokenizer.ts';
import { eventsOf, generatedOf, gotOf, jsonOf, post, QWEN3 } from './engine-client.ts';

/** The library itself, beside which our ids and texts are held. */
const library = Library.fromFile(join(QWEN3, 'tokenizer.json'));
const encode = async (text: string) => (await library.encode(text, null, { addSpecialTokens: false })).getIds();

const folder = mkdtempSync(join(tmpdir(), 'rollstream-engine-'));
const log = join(folder, 'truth.jsonl');
let tokenizer: LoadedTokenizer;
let engine: Engine;
beforeAll(async () => {
  tokenizer = await loadTokenizer(QWEN3);
  engine = await openEngine({ tokenizer, log, now: () => 1_000_000 });
});
afterAll(async () => {
  await engine.close();
  tokenizer.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, body: unknown) => jsonOf(post(engine.url, path, body));
const lastTruth = () => {
  const call = engine.truth().at(-1);
  if (call === undefined) throw new Error('no call was told');
  return call;
};

describe('/generate', () => {
  const opened = (content: string): string => `<|im_start|>user\n${content}<|im_end|>\n<|im_start|>assistant\n`;

  it('an agent that keeps the ids is led through a task, and each of its prompts begins with what stood before', async () => {
    let ids = await encode(opened('[[rollstream:honest#1]] How many bridges?'));
    const said: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const sampling_params = { max_new_tokens: 512 };
      const got = generatedOf(await ask('/generate', { input_ids: ids, return_logprob: true, sampling_params }));
      said.push(got.text);
      expect(got.finish).toEqual({ type: 'stop', matched: 151645 });
      expect(got.ids).toEqual([...(await encode(got.text)), 151645]);
      expect(lastTruth()).toMatchObject({
        ...{ scenario: 'honest', task: 1, turn, attempt: 0, promptIds: ids, promptSentAsIds: true, messages: null },
        ...{ completionIds: got.ids, logprobs: got.logprobs, status: 200, ended: 'complete', misbehaved: null },
        ...(turn === 0
          ? { heldLength: null }
          : { heldLength: lastTruth().commonPrefix, heldCall: lastTruth().call - 1 }),
      });
      const result = '\n<|im_start|>user\n<tool_response>\n12\n</tool_response><|im_end|>\n<|im_start|>assistant\n';
      ids = [...ids, ...got.ids, ...(await encode(result))];
    }
    expect(said[0]).toMatch(/<tool_call>\n\{"name": "search", "arguments": \{"query": "[^"]+"\}\}\n<\/tool_call>$/);
    expect(said[1]).toMatch(/\{"name": "calculator", "arguments": \{"expression": "\d+ \* \d+ \+ \d+"\}\}/);
    const [, a, b, c] = /"(\d+) \* (\d+) \+ (\d+)"/.exec(said[1] ?? '') ?? [];
    expect(said[2]).toBe(`The result is ${Number(a) * Number(b) + Number(c)}.`);
  });

  it('a prompt that was encoded again is told where it left what was held', async () => {
    const prompt = await encode(opened('[[rollstream:noncanonical_split#1]]'));
    const body = { input_ids: prompt, sampling_params: { max_new_tokens: 512 } };
    const { ids, text } = generatedOf(await ask('/generate', { ...body, return_logprob: true }));
    const again = [...(await encode(text)), 151645];
    expect(again).not.toEqual(ids);
    expect(await library.decode([...ids], false)).toBe(`${text}<|im_end|>`);
    await ask('/generate', { ...body, input_ids: [...prompt, ...again, ...(await encode(`\n${opened('12')}`))] });
    const differs = ids.findIndex((id, at) => id !== again[at]);
    expect(lastTruth()).toMatchObject({
      commonPrefix: prompt.length + differs,
      heldLength: prompt.length + ids.length,
    });
  });

  it('cuts at the limit of tokens, and at a stop text', async () => {
    const input_ids = await encode(opened('[[rollstream:honest#2]]'));
    const cut = await ask('/generate', { input_ids, sampling_params: { max_new_tokens: 4 } });
    expect(cut.output_ids.length).toBe(4);
    expect(cut.meta_info.finish_reason).toEqual({ type: 'length', length: 4 });
    const stopped = await ask('/generate', { input_ids, sampling_params: { max_new_tokens: 99, stop: [' of '] } });
    expect(stopped.text).toBe('<tool_call>\n{"name": "search", "arguments": {"query": "number');
    expect(stopped.meta_info.finish_reason).toEqual({ type: 'stop', matched: ' of ' });
  });

  it('tells logprobs of the prompt from where they are asked for', async () => {
    const text = opened('hello');
    const { meta_info } = await ask('/generate', { text, return_logprob: true, logprob_start_len: 2 });
    const ids = await encode(text);
    expect(meta_info.input_token_logprobs.map(([, id]: unknown[]) => id)).toEqual(ids.slice(2));
    expect(meta_info.input_token_logprobs[0][0]).toBeNull();
  });
});

describe('the chat route', () => {
  const messages = [{ role: 'user', content: '[[rollstream:honest#3]] How many?' }];

  it('encodes what the template makes of the messages, tools and history', async () => {
    const history = [
      ...messages,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'search', arguments: '{"query": "x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '12' }] },
    ];
    const body = await ask('/v1/chat/completions', { messages: history, tools: TOOLS, return_token_ids: true });
    const text = await library.decode(body.prompt_token_ids, false);
    expect(text).toContain('<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call><|im_end|>');
    expect(text).toContain(
      '<|im_start|>user\n<tool_response>\n12\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
    );
    expect(lastTruth()).toMatchObject({ turn: 1, messages: history, promptSentAsIds: false, promptText: text });
    expect(body.choices[0].message.tool_calls[0].function.name).toBe('calculator');
    expect(lastTruth().parsedCalls?.[0]?.name).toBe('calculator');
  });

  it('a history that is sent back as it was answered is rendered as it was sampled', async () => {
    let history: unknown[] = [{ role: 'user', content: '[[rollstream:honest#6]] How many?' }];
    for (let turn = 0; turn < 3; turn++) {
      const { choices } = await ask('/v1/chat/completions', { messages: history, tools: TOOLS });
      expect(lastTruth()).toMatchObject({ turn, ...(turn === 0 ? {} : { commonPrefix: lastTruth().heldLength }) });
      const { role, content, tool_calls = [] } = choices[0].message;
      const results = tool_calls.map(({ id }: { id: string }) => ({ role: 'tool', tool_call_id: id, content: '12' }));
      history = [...history, { role, content, tool_calls }, ...results];
    }
  });

  it('SGLang refuses ids by choice in a stream and gives them at its end, vLLM gives them with each chunk', async () => {
    const body = { messages, stream: true, logprobs: true };
    const refused = await post(engine.url, '/sglang/v1/chat/completions', { ...body, return_token_ids: true });
    expect(refused.status).toBe(400);
    expect(await jsonOf(refused)).toEqual({
      object: 'error',
      message:
        'return_token_ids is not supported with streaming on /v1/chat/completions. Please set stream=false when using return_token_ids=true.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    });
    const ext = { return_input_ids_in_sglext: true, return_output_ids_in_sglext: true };
    const sglang = gotOf(await eventsOf(await post(engine.url, '/sglang/v1/chat/completions', { ...body, ...ext })));
    const vllm = gotOf(
      await eventsOf(await post(engine.url, '/v1/chat/completions', { ...body, return_token_ids: true })),
    );
    expect(sglang).toEqual(vllm);
    expect(vllm).toMatchObject({ ids: lastTruth().completionIds, promptIds: lastTruth().promptIds });
    expect(vllm.logprobs).toEqual(lastTruth().logprobs);
  });

  it('a body that is wrong is refused in the shape of its dialect', async () => {
    expect(await ask('/v1/chat/completions', { messages: [] })).toMatchObject({
      error: { type: 'BadRequestError', code: 400 },
    });
    expect(await ask('/generate', { input_ids: [-1] })).toMatchObject({
      error: { message: expect.stringContaining('input_ids') },
    });
    expect(await ask('/v1/chat/completions', { messages, n: 2 })).toMatchObject({ error: { code: 400 } });
    const unknown = [{ role: 'user', content: '[[rollstream:nothing#1]]' }];
    expect((await ask('/v1/chat/completions', { messages: unknown })).error.message).toContain('nothing');
  });

  it('two answers to one request are equal but for what the client asked to differ', async () => {
    const texts = await Promise.all(
      [1, 2].map(async () =>
        (await post(engine.url, '/v1/chat/completions', { messages, stream: true }, { 'x-request-id': 'same' })).text(),
      ),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toContain('"id":"chatcmpl-same"');
  });
});

describe('the openai package', () => {
  const client = (path: string) => new OpenAI({ baseURL: `${engine.url}${path}`, apiKey: 'none', maxRetries: 0 });

  /** Runs the tools that a client asks for, until it asks for none. */
  async function led(path: string, stream: boolean, number: number) {
    const ran: string[] = [];
    const runs = (name: string, result: string) => ({
      type: 'function' as const,
      function: {
        ...{ name, description: name, parameters: { type: 'object', properties: {} } },
        function: (args: string) => {
          ran.push(`${name} ${args}`);
          return result;
        },
      },
    });
    const asked = {
      model: 'rollstream-conform',
      messages: [{ role: 'user' as const, content: taskOf(0, 'honest', number).prompt }],
      tools: [runs('search', '12'), runs('calculator', '34')],
    };
    const { completions } = client(path).chat;
    const said = await (stream
      ? completions.runTools({ ...asked, stream: true }).finalContent()
      : completions.runTools(asked).finalContent());
    return { ran, said };
  }

  it('leads an agent through a task in both dialects, streamed or not', async () => {
    for (const [number, path] of ['/v1', '/sglang/v1'].entries()) {
      const { query, expression, answer } = taskOf(0, 'honest', number);
      for (const stream of [false, true]) {
        const { ran, said } = await led(path, stream, number);
        expect(ran, path).toEqual([`search {"query": "${query}"}`, `calculator {"expression": "${expression}"}`]);
        expect(said, path).toBe(`The result is ${answer}.`);
      }
    }
  });

  it('reads completions, and errors with their message', async () => {
    const stream = await client('/v1').completions.create({ model: 'm', prompt: 'Once', max_tokens: 8, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.text ?? '';
    expect(text).toBe(await library.decode([...lastTruth().completionIds], true));
    const refused = client('/v1').chat.completions.create({ model: 'm', messages: [] });
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('messages') });
  });
});

it('a prompt without a marker is answered honestly, and what is no call has no line', async () => {
  const before = engine.truth().length;
  for (const path of ['/v1/models', '/health', '/get_model_info', '/version', '/get_server_info'])
    expect((await fetch(`${engine.url}${path}`)).status).toBe(200);
  for (const path of ['/v1/embeddings', '//', '/sglang/', '/other/v1/models?x=1'])
    expect((await fetch(`${engine.url}${path}`)).status, path).toBe(404);
  expect(engine.truth().length).toBe(before);
  await ask('/v1/completions', { prompt: 'Once', max_tokens: 8 });
  expect(lastTruth()).toMatchObject({
    scenario: null,
    task: null,
    route: 'completions',
    promptIds: await encode('Once'),
  });
});

it('by chance: what a client has of each route and dialect, whole or streamed, is what the engine knows it sent', async () => {
  const prompt = (number: number): string => `[[rollstream:random#${number}]]<|im_start|>assistant\n`;
  const messages = (number: number) => [{ role: 'user', content: `[[rollstream:random#${number}]]` }];
  const ext = { return_input_ids_in_sglext: true, return_output_ids_in_sglext: true };
  const routes = [
    ['/generate', (n: number) => ({ text: prompt(n), return_logprob: true, return_prompt_token_ids: true })],
    ['/v1/completions', (n: number) => ({ prompt: prompt(n), max_tokens: 200, logprobs: 1, return_token_ids: true })],
    [
      '/sglang/v1/completions',
      (n: number) => ({ prompt: prompt(n), max_tokens: 200, logprobs: 1, return_token_ids: true }),
    ],
    ['/v1/chat/completions', (n: number) => ({ messages: messages(n), logprobs: true, return_token_ids: true })],
    ['/sglang/v1/chat/completions', (n: number) => ({ messages: messages(n), logprobs: true, ...ext })],
  ] as const;
  const kinds = new Set<string>();
  for (let number = 0; number < 100; number++) {
    const [path, bodyOf] = routes[number % routes.length] ?? routes[0];
    const stream = number % 2 === 0;
    const response = await post(engine.url, path, { ...bodyOf(number), stream });
    const events = stream ? await eventsOf(response) : [await jsonOf(response)];
    const got = path === '/generate' ? generatedOf(events.at(-1)) : gotOf(events);
    const truth = lastTruth();
    const context = `${path} ${number} ${stream}`;
    expect(got.ids, context).toEqual(truth.completionIds);
    expect(got.logprobs, context).toEqual(truth.logprobs);
    expect(got.promptIds, context).toEqual(truth.promptIds);
    const { type } = Object(truth.finishReason);
    expect(Object(got.finish).type ?? got.finish, context).toBe(type);
    const shown = type === 'stop' ? truth.completionIds.slice(0, -1) : truth.completionIds;
    expect(got.text, context).toBe(await library.decode([...shown], true));
    kinds.add(type);
  }
  expect([...kinds].sort()).toEqual(['abort', 'length', 'stop']);
});

it('each answered call is a line of the log, in the order of their ends', () => {
  const [head, ...calls] = readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(head).toMatchObject({ rollstream_conform: 1, seed: 0, tokenizerSha256: tokenizer.sha256 });
  expect(calls).toEqual(engine.truth());
});

it('with a token nobody else is answered', async () => {
  const guarded = await openEngine({ tokenizer, token: 'secret', dialect: 'vllm' });
  try {
    expect((await fetch(`${guarded.url}/v1/models`)).status).toBe(401);
    expect((await fetch(`${guarded.url}/v1/models`, { headers: { authorization: 'Bearer secret' } })).status).toBe(200);
    const generate = await post(guarded.url, '/generate', { text: 'x' }, { authorization: 'Bearer secret' });
    expect(generate.status).toBe(404);
  } finally {
    await guarded.close();
  }
});

it('takes arguments of a history as Python reads them', async () => {
  const history = (args: string) => [
    { role: 'user', content: '[[rollstream:honest#0]]' },
    { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: args } }] },
    { role: 'tool', tool_call_id: 'c', content: '12' },
  ];
  const status = async (args: string) =>
    (await post(engine.url, '/v1/chat/completions', { messages: history(args) })).status;
  expect([await status('{"limit": NaN}'), await status('{limit: 1}')]).toEqual([200, 400]);
});

it('calls of another form than Hermes are text in a chat, and the log says which form', async () => {
  const path = join(folder, 'kimi.jsonl');
  const kimi = await openEngine({ tokenizer, calls: 'kimi', log: path });
  try {
    const tools = [{ type: 'function', function: { name: 'search', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: '[[rollstream:honest#0]]' }];
    const { choices } = await jsonOf(post(kimi.url, '/v1/chat/completions', { messages, tools }));
    expect(choices[0].message.content).toMatch(/^<\|tool_calls_section_begin\|>.*functions\.search:0/);
    expect(choices[0].message.tool_calls ?? []).toEqual([]);
    expect(choices[0].finish_reason).toBe('stop');
  } finally {
    await kimi.close();
  }
  const [head, call] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(head.calls).toBe('kimi');
  expect(call.parsedCalls).toBeNull();
});
