import type { CallEnd } from '../../../../src/proxy/journal/call-head.ts';
import { type SeenCall, streamOf } from './call-files.ts';

/** Draws that a seed repeats. */
export type Draw = (below: number) => number;

export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** What an engine sampled in one call, as it knows it. */
export interface Sampled {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  readonly logprobs: readonly number[];
  readonly finish: string;
  readonly versions: readonly { readonly start: number; readonly version: string }[];
  /** Tries of it that gave the client nothing whole. */
  readonly tries: number;
}

export interface PlannedRollout {
  readonly rollout: string;
  readonly isNamed: boolean;
  readonly calls: readonly Sampled[];
  /** The files that these calls leave, in order; the last of each call is the one that was answered. */
  readonly files: readonly (Omit<SeenCall, 'id'> & { readonly isAnswered: boolean })[];
}

/** A rollout of several turns: prompts that go on, or (where it is named) are rewritten; streamed or not, with tries that failed. */
export function planRollout(draw: Draw, rollout: string, mark: number): PlannedRollout {
  const isNamed = draw(3) > 0;
  const isChat = draw(2) === 0;
  const calls: Sampled[] = [];
  const files: PlannedRollout['files'][number][] = [];
  const messages: object[] = [{ role: 'user', content: `task ${mark}` }];
  const some = (most: number): number[] => Array.from({ length: 1 + draw(most) }, () => draw(2 ** 32));
  const first = [mark, ...some(6)];
  let held = first;
  for (let turn = 0; turn < 1 + draw(4); turn++) {
    const isRewritten = turn > 0 && isNamed && draw(5) === 0;
    const kept = isRewritten ? held.slice(0, first.length + draw(held.length - first.length)) : held;
    const prompt = turn === 0 ? first : [...kept, ...some(4)];
    const completion = some(8);
    const logprobs = completion.map(() => -Math.fround(draw(2 ** 30) / 2 ** (10 + draw(30))));
    const isChanged = completion.length > 1 && draw(4) === 0;
    const versions = isChanged
      ? [
          { start: 0, version: '1' },
          { start: 1, version: '2' },
        ]
      : [{ start: 0, version: '1' }];
    const finish = ['stop', 'length', 'abort'][draw(3)] ?? 'stop';
    const sampled = { prompt, completion, logprobs, finish, versions, tries: draw(4) === 0 ? 1 + draw(2) : 0 };
    const said = `answer ${mark}.${turn} é💡`;
    const asked = isChat ? chat(draw, sampled, messages, said) : generate(draw, sampled, said);
    const named = isNamed ? { named: { rollout } } : {};
    for (let n = 0; n < sampled.tries; n++) files.push({ ...asked, ...named, ...failure(draw), isAnswered: false });
    files.push({ ...asked, ...named, isAnswered: true });
    calls.push(sampled);
    held = [...prompt, ...completion];
    messages.push({ role: 'assistant', content: said }, { role: 'user', content: `and ${turn}?` });
  }
  return { rollout, isNamed, calls, files };
}

/** As a call of `/generate`: at once, with all that there is in each chunk, or with what is new. */
function generate(draw: Draw, { prompt, completion, logprobs, finish, versions }: Sampled, text: string) {
  const spans = versions.map(({ start, version }, i) => ({
    version,
    start,
    end: versions[i + 1]?.start ?? completion.length,
  }));
  const facts = { id: 'r', prompt_tokens: prompt.length };
  const pairs = completion.map((id, i) => [logprobs[i], id, null]);
  const whole = {
    ...{ text, output_ids: completion },
    meta_info: {
      ...{ ...facts, completion_tokens: completion.length, weight_version: versions.at(-1)?.version },
      ...{ weight_versions: spans, finish_reason: finishOf(finish), output_token_logprobs: pairs },
    },
  };
  const request = { input_ids: prompt, sampling_params: { temperature: 0.7 }, stream: false };
  const how = draw(3);
  if (how === 0) return { request, answer: whole };
  const chunks = completion.map((_, i) => {
    const [from, to] = [how === 1 ? 0 : i, i + 1];
    const part = text.slice(
      how === 1 ? 0 : Math.floor((text.length * i) / completion.length),
      Math.floor((text.length * to) / completion.length),
    );
    const meta =
      i === completion.length - 1 ? whole.meta_info : { ...facts, completion_tokens: to, finish_reason: null };
    return {
      text: part,
      output_ids: completion.slice(from, to),
      meta_info: { ...meta, output_token_logprobs: pairs.slice(from, to) },
    };
  });
  return { request: { ...request, stream: true }, answer: streamOf(chunks), cuts: cuts(draw) };
}

/** As vLLM's chat with ids. */
function chat(draw: Draw, sampled: Sampled, history: readonly object[], content: string) {
  const { prompt, completion, logprobs, finish } = sampled;
  const entries = completion.map((_, i) => ({ token: 't', logprob: logprobs[i] }));
  const messages = structuredClone(history);
  const route = { path: '/v1/chat/completions', engine: 'vllm' as const };
  const usage = { prompt_tokens: prompt.length, completion_tokens: completion.length };
  const isStream = draw(2) === 0;
  const request = { model: 'm', messages, stream: isStream };
  // vLLM tells no versions by token: the name of its weights stands in the answer.
  const weights = sampled.versions.length === 1 ? { weight_version: '1' } : { weight_versions: spansOf(sampled) };
  if (!isStream) {
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: finish, token_ids: completion };
    const answer = {
      id: 'x',
      ...weights,
      prompt_token_ids: prompt,
      usage,
      choices: [{ ...choice, logprobs: { content: entries } }],
    };
    return { ...route, request, answer };
  }
  const chunks = [
    { id: 'x', prompt_token_ids: prompt, choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
    ...completion.map((id, i) => ({
      id: 'x',
      choices: [
        { index: 0, delta: { content: i === 0 ? content : '' }, token_ids: [id], logprobs: { content: [entries[i]] } },
      ],
    })),
    { id: 'x', ...weights, usage, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
  ];
  return { ...route, request, answer: streamOf(chunks), cuts: cuts(draw) };
}

function spansOf({ versions, completion }: Sampled) {
  return versions.map(({ start, version }, i) => ({
    version,
    start,
    end: versions[i + 1]?.start ?? completion.length,
  }));
}

function finishOf(finish: string): object {
  return finish === 'abort' ? { type: 'abort', message: 'weights', status_code: null } : { type: finish };
}

/** What a client asks again after. */
function failure(draw: Draw): Pick<SeenCall, 'status' | 'answer' | 'end'> {
  if (draw(2) === 0) return { status: 503, answer: { error: { message: 'busy' } } };
  const how = (['client_gone', 'upstream_cut', 'upstream_timeout'] as const)[draw(4)];
  const end: CallEnd | null = how === undefined ? null : { how, detail: null };
  return { answer: draw(2) === 0 ? null : 'data: {"text":"cut', end };
}

function cuts(draw: Draw): number[] {
  return Array.from({ length: draw(6) }, () => draw(100_000));
}
