import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/conform/engine/engine-config.ts';
import { openEngine } from '../../../src/conform/engine/open-engine.ts';
import { TOOLS } from '../../../src/conform/scenarios/tools.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../../src/tokenizers/load-tokenizer.ts';
import { QWEN3 } from '../conform/engine/engine-client.ts';
import { ask } from './scripted-upstream.ts';
import { type StartedProxy, startProxy } from './started-proxy.ts';

type Dialect = 'vllm' | 'sglang';

let tokenizer: LoadedTokenizer;
/** Two of each that do the same: one is called directly, the other through a proxy. */
const engines = new Map<Dialect, { direct: Engine; behind: Engine; proxy: StartedProxy }>();

beforeAll(async () => {
  tokenizer = await loadTokenizer(QWEN3);
  for (const dialect of ['vllm', 'sglang'] as const) {
    const open = () => openEngine({ tokenizer, dialect, seed: 3, now: () => 1_000_000 });
    const [direct, behind] = await Promise.all([open(), open()]);
    engines.set(dialect, { direct, behind, proxy: await startProxy(new URL(behind.url), { engine: 'auto' }) });
  }
});
afterAll(async () => {
  for (const { direct, behind, proxy } of engines.values()) {
    await proxy.close();
    await Promise.all([direct.close(), behind.close()]);
  }
  tokenizer.close();
});

function of(dialect: Dialect) {
  const found = engines.get(dialect);
  if (found === undefined) throw new Error(`there is no ${dialect}`);
  return found;
}

const SCENARIOS = [
  ...[
    'honest',
    'abort_partial',
    'weights_change',
    'length_in_call',
    'malformed_call',
    'unclosed_call',
    'duplicate_call',
  ],
  ...['think_call', 'noncanonical_split', 'extra_logprob', 'two_eos', 'split_character', 'storm_429', 'storm_503'],
];

/** What a client asks beside the prompt. */
const WANTS = [{}, { logprobs: true }, { return_token_ids: true }, { logprobs: false, max_tokens: 7 }];

/** All of them with the first scenarios, one with each of the others. */
function someOf(wants: readonly object[], task: number): readonly object[] {
  return wants.filter((_, at) => task < 2 || at === task % wants.length);
}

describe('bytes to the client are equal with and without the proxy', () => {
  const both = async (dialect: Dialect, path: string, body: object) => {
    const { direct, proxy } = of(dialect);
    const options = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: ['Content-Type', 'application/json', 'X-Request-Id', 'r'],
    };
    const [own, through] = [await ask(`${direct.url}${path}`, options), await ask(`${proxy.url}${path}`, options)];
    const lengthOf = (headers: readonly string[]) =>
      headers[headers.findIndex((name) => /^content-length$/i.test(name)) + 1];
    expect([through.status, through.body, lengthOf(through.rawHeaders)]).toEqual([
      own.status,
      own.body,
      lengthOf(own.rawHeaders),
    ]);
    return own;
  };

  for (const dialect of ['vllm', 'sglang'] as const) {
    for (const stream of [false, true]) {
      it(`${dialect}, chat${stream ? ', streamed' : ''}`, async () => {
        for (const [task, scenario] of SCENARIOS.entries()) {
          for (const wants of someOf(WANTS, task)) {
            const messages = [{ role: 'user', content: `[[rollstream:${scenario}#${task}]] é😀` }];
            const options = { stream_options: { include_usage: true }, tools: task % 2 === 0 ? TOOLS : undefined };
            await both(dialect, '/v1/chat/completions', {
              messages,
              rid: 'r',
              stream,
              ...(stream ? options : {}),
              ...wants,
            });
          }
        }
      });

      it(`${dialect}, completions${stream ? ', streamed' : ''}`, async () => {
        for (const [task, scenario] of SCENARIOS.entries()) {
          for (const wants of someOf([{}, { logprobs: 1 }, { return_token_ids: true }], task)) {
            const prompt = `[[rollstream:${scenario}#${task}]] é😀`;
            await both(dialect, '/v1/completions', { prompt, rid: 'r', max_tokens: 64, stream, ...wants });
          }
        }
      });
    }
  }

  it('sglang, /generate, streamed and not', async () => {
    for (const [task, scenario] of SCENARIOS.entries()) {
      for (const wants of someOf([{}, { stream: true }, { return_logprob: true }], task)) {
        await both('sglang', '/generate', { text: `[[rollstream:${scenario}#${task}]] é😀`, rid: 'r', ...wants });
      }
    }
  });
});

describe('what is recorded', () => {
  it('has the ids that the engine sent, whatever the client asked for', async () => {
    for (const [dialect, stream] of [
      ['vllm', false],
      ['vllm', true],
      ['sglang', false],
      ['sglang', true],
    ] as const) {
      const { behind, proxy } = of(dialect);
      proxy.recording.calls.length = 0;
      const messages = [{ role: 'user', content: '[[rollstream:honest#5]]' }];
      await ask(`${proxy.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ messages, stream }) });
      const [call] = proxy.recording.calls;
      const text = call?.pieces.map(({ bytes }) => bytes.toString('latin1')).join('') ?? '';
      const { promptIds, completionIds } = behind.truth().at(-1) ?? expect.fail();
      expect(call?.head.engine).toBe(dialect);
      expect(text).toContain(`[${promptIds.join(',')}]`);
      if (dialect === 'vllm' && stream) {
        const ids = [...text.matchAll(/"token_ids":\[([\d,]*)\]/g)].map(([, some]) => some).join();
        expect(ids).toBe(completionIds.join());
      } else expect(text).toContain(`[${completionIds.join(',')}]`);
    }
  });
});

describe('the openai client', () => {
  it('works unchanged, with nothing but another base URL', async () => {
    for (const dialect of ['vllm', 'sglang'] as const) {
      const { direct, proxy } = of(dialect);
      const clientOf = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
      const through = clientOf(`${proxy.url}/r/run/${dialect}%2F1/v1`);
      const own = clientOf(`${direct.url}/v1`);
      const request = { model: 'm', messages: [{ role: 'user' as const, content: '[[rollstream:honest#9]]' }] };
      const said = async (client: OpenAI) => {
        const { choices } = await client.chat.completions.create(request);
        let streamed = '';
        for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
          streamed += chunk.choices[0]?.delta.content ?? '';
        }
        return { choices, streamed, models: (await client.models.list()).data.length };
      };
      expect(await said(through)).toEqual(await said(own));
      expect(proxy.recording.calls.at(-1)?.head.named).toMatchObject({ run: 'run', rollout: `${dialect}/1` });
    }
  });
});
