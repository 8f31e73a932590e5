import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/conform/engine/engine-config.ts';
import { openEngine } from '../../src/conform/engine/open-engine.ts';
import type { TruthCall } from '../../src/conform/truth.ts';
import { createRandom, type Random } from '../../src/simulate/random.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../src/tokenizers/load-tokenizer.ts';
import { QWEN3 } from '../src/conform/engine/engine-client.ts';
import { endPrograms, startProgram } from './program.ts';

/**
 * Calls by chance, through the program as users start it, against what the engine knows that it sampled. PROXY_CALLS asks for more
 * of them, PROXY_SEED for others.
 */
const CALLS = Number(process.env.PROXY_CALLS ?? 240);
const SEED = Number(process.env.PROXY_SEED ?? Date.now() % 100_000);
const DIALECTS = ['vllm', 'sglang'] as const;
const MOST_TURNS = 6;
const AT_ONCE = 16;

type Dialect = (typeof DIALECTS)[number];
type Route = 'generate' | 'chat' | 'completions';

interface Rollout {
  readonly task: number;
  readonly route: Route;
  readonly turns: number;
  readonly random: Random;
}

interface Recorded {
  readonly promptIds: readonly number[];
  readonly completionIds: readonly number[];
  readonly logprobs: readonly number[];
  readonly spans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
}

let folder = '';
let tokenizer: LoadedTokenizer;
let server = '';
const engines = new Map<Dialect, Engine>();
const proxies = new Map<Dialect, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-proxy-calls-'));
  tokenizer = await loadTokenizer(QWEN3);
  const up = startProgram(['up', '--data', join(folder, 'data'), '--port', '0']);
  [, server = ''] = await up.saying(/serving at (http:\/\/[\w.:]+)/);
  for (const dialect of DIALECTS) {
    const engine = await openEngine({ tokenizer, dialect, seed: SEED });
    engines.set(dialect, engine);
    const recorder = startProgram([
      ...['proxy', '--upstream', engine.url, '--listen', '127.0.0.1:0', '--run', dialect],
      ...['--server', server, '--state', join(folder, dialect)],
    ]);
    const [, url = ''] = await recorder.saying(/(http:\/\/[\w.:]+) stands in front of/);
    proxies.set(dialect, url);
  }
});
afterAll(async () => {
  await endPrograms();
  for (const engine of engines.values()) await engine.close();
  tokenizer.close();
  await rm(folder, { recursive: true, force: true });
});

describe(`what is recorded of ${CALLS} random calls is what the engine sampled, bit for bit`, () => {
  it.each(DIALECTS)('%s', async (dialect) => {
    const rollouts = plannedRollouts(dialect, CALLS / DIALECTS.length);
    const waiting = [...rollouts];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await play(next, dialect);
      }),
    );
    const truth = engines.get(dialect)?.truth() ?? [];
    const recorded = await recordedCalls(dialect, rollouts.length);
    for (const { task, turns } of rollouts) {
      const sampled = truth.filter((call) => call.task === task).sort((a, b) => a.call - b.call);
      expect(sampled.length).toBe(turns);
      expect(recorded.get(`r/${task}`), `seed ${SEED}, rollout r/${task}`).toEqual(sampled.map(asRecorded));
    }
  });
});

function plannedRollouts(dialect: Dialect, calls: number): Rollout[] {
  const routes: readonly Route[] = dialect === 'vllm' ? ['chat', 'completions'] : ['chat', 'completions', 'generate'];
  const random = createRandom(`proxy calls ${SEED} ${dialect}`);
  const planned: Rollout[] = [];
  for (let left = calls; left > 0; left -= planned.at(-1)?.turns ?? 1) {
    const task = planned.length;
    const turns = Math.min(left, random.whole(1, MOST_TURNS));
    planned.push({ task, turns, route: random.pick(routes), random: createRandom(`${SEED} ${dialect} ${task}`) });
  }
  return planned;
}

async function play(rollout: Rollout, dialect: Dialect): Promise<void> {
  const { task, random } = rollout;
  const proxyUrl = proxies.get(dialect) ?? '';
  // A slash in an id stands in a path as %2F.
  const name = `r/${task}`;
  const base = `${proxyUrl}/r/${dialect}/${encodeURIComponent(name)}`;
  if (rollout.route === 'chat') await chat(new OpenAI({ baseURL: `${base}/v1`, apiKey: 'none' }), rollout);
  else if (random.chance(0.5)) await byIds(rollout, base, {});
  else await byIds(rollout, proxyUrl, { 'x-rollstream-rollout': name });
  const ended = await post(proxyUrl, `/v1/rollouts/${encodeURIComponent(name)}/end`, {
    reasons: [{ raw: 'task_complete', system: 'rollstream' }],
  });
  expect([ended.status, await ended.text()]).toEqual([200, expect.any(String)]);
}

async function chat(client: OpenAI, { task, turns, random }: Rollout): Promise<void> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: `[[rollstream:random#${task}]]` }];
  for (let turn = 0; turn < turns; turn++) {
    const request = { model: 'm', messages, logprobs: random.chance(0.5) };
    let content = '';
    if (random.chance(0.5)) {
      const stream = await client.chat.completions.create({ ...request, stream: true });
      for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? '';
    } else content = (await client.chat.completions.create(request)).choices[0]?.message.content ?? '';
    messages.push({ role: 'assistant', content }, { role: 'user', content: `more: ${random.whole(0, 999)}` });
  }
}

/** As token-in, token-out loops do: what was sampled is sent again as it is, and what a tool said behind it. */
async function byIds({ task, turns, random, route }: Rollout, url: string, headers: Record<string, string>) {
  const opening = tokenizer.encode(
    `<|im_start|>user\n[[rollstream:random#${task}]]<|im_end|>\n<|im_start|>assistant\n`,
  );
  const ids = [...opening];
  for (let turn = 0; turn < turns; turn++) {
    const body =
      route === 'generate'
        ? { input_ids: ids, stream: random.chance(0.5), sampling_params: { max_new_tokens: 512 } }
        : { model: 'm', prompt: ids, max_tokens: 512, stream: random.chance(0.5), return_token_ids: true };
    const answer = await post(url, route === 'generate' ? '/generate' : '/v1/completions', body, headers);
    expect(answer.status).toBe(200);
    ids.push(...completionOf(await answer.text(), route, body.stream));
    const said = `<|im_start|>user\n<tool_response>${random.whole(0, 999)}</tool_response><|im_end|>\n<|im_start|>assistant\n`;
    ids.push(...tokenizer.encode(said));
  }
}

/** What the client has of it. */
function completionOf(text: string, route: Route, isStreamed: boolean): readonly number[] {
  const chunks = isStreamed
    ? text.split('\n\n').flatMap((event) => (/^data: \{/.test(event) ? [JSON.parse(event.slice(6))] : []))
    : [JSON.parse(text)];
  if (route === 'generate') return chunks.at(-1)?.output_ids ?? [];
  return chunks.flatMap(({ choices }) => choices[0]?.token_ids ?? []);
}

function post(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  return fetch(`${url}${path}`, { ...init, headers: { 'content-type': 'application/json', ...headers } });
}

interface Row {
  readonly rollout_id: string;
  readonly seq: number;
  readonly segment_id: string;
  readonly kind: string;
  readonly prompt_prefix_len: number | null;
  readonly prompt_delta_ids: readonly number[];
  readonly completion_ids: readonly number[];
  readonly completion_logprobs: readonly number[];
  readonly 'weight_spans.start': readonly number[];
  readonly 'weight_spans.version': readonly string[];
}

/** Once all of the run have ended in the store. Prompts are put together again from what travelled of them. */
async function recordedCalls(run: string, rollouts: number): Promise<Map<string, Recorded[]>> {
  const ends = `SELECT count() AS n FROM rollstream.steps FINAL WHERE run_id = '${run}' AND kind = 'end'`;
  const ended = async () => Number((await query<{ n: string | number }>(ends))[0]?.n);
  await expect.poll(ended, { timeout: 200_000, interval: 250 }).toBe(rollouts);
  const rows = await query<Row>(
    `SELECT rollout_id, seq, segment_id, kind, prompt_prefix_len, prompt_delta_ids, completion_ids, completion_logprobs,
       weight_spans.start, weight_spans.version
     FROM rollstream.steps FINAL WHERE run_id = '${run}' AND kind = 'model_call' ORDER BY rollout_id, seq`,
  );
  const held = new Map<string, readonly number[]>();
  const calls = new Map<string, Recorded[]>();
  for (const row of rows) {
    const segment = `${row.rollout_id} ${row.segment_id}`;
    const promptIds = [...(held.get(segment) ?? []).slice(0, row.prompt_prefix_len ?? 0), ...row.prompt_delta_ids];
    held.set(segment, [...promptIds, ...row.completion_ids]);
    const versions = row['weight_spans.version'];
    const call = {
      ...{ promptIds, completionIds: row.completion_ids, logprobs: row.completion_logprobs.map(Math.fround) },
      spans: row['weight_spans.start'].map((start, at) => ({ start, version: versions[at] ?? '' })),
    };
    calls.set(row.rollout_id, [...(calls.get(row.rollout_id) ?? []), call]);
  }
  return calls;
}

function asRecorded(call: TruthCall): Recorded {
  const { promptIds, completionIds, logprobs } = call;
  return { promptIds, completionIds, logprobs: logprobs.map(Math.fround), spans: spansTold(call) };
}

/** vLLM tells no version, and SGLang in streams of the OpenAI routes none; of whole completions only the last. */
function spansTold({ dialect, route, streamed, weightSpans }: TruthCall): Recorded['spans'] {
  if (route === 'generate') return weightSpans;
  if (dialect === 'vllm' || streamed) return [];
  const last = weightSpans.at(-1);
  return route === 'chat' || last === undefined ? weightSpans : [{ start: 0, version: last.version }];
}

async function query<T>(sql: string): Promise<T[]> {
  const answer = await post(server, '/v1/query', { sql, format: 'json' });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}
