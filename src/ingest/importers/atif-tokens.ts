import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull } from '../fields.ts';
import { leftover, unlessEmpty } from '../json-text.ts';
import { packLogprobs, packTokenIds, sameLength } from '../packed.ts';
import { createTokenPrefixes } from '../token-prefixes.ts';

export interface AtifTokens {
  readonly tokens: Required<
    Pick<ModelCallInit, 'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'>
  >;
  readonly missingLogprobs: readonly number[];
}

/** Token ids of one call as the source has them; the prompt is whole. */
export interface TokenArrays {
  readonly prompt: readonly JsonValue[];
  readonly promptPath: string;
  readonly completion: readonly JsonValue[];
  readonly completionPath: string;
  readonly logprobs: readonly JsonValue[] | null;
  readonly logprobsPath: string;
}

/** Packs the ids of the calls of one segment, in their order; only what of a prompt is new travels. */
export function createAtifTokens(): (arrays: TokenArrays) => AtifTokens {
  const prefixOf = createTokenPrefixes();
  return ({ prompt, promptPath, completion, completionPath, logprobs, logprobsPath }) => {
    const sampled = packTokenIds(completion, completionPath);
    const asked = packTokenIds(prompt, promptPath);
    if (logprobs !== null) sameLength(logprobs, logprobsPath, completion.length, 'completion_token_ids');
    const packed = logprobs && packLogprobs(logprobs, logprobsPath);
    const completion_logprobs = packed?.bytes ?? null;
    return {
      tokens: { ...prefixOf(asked, sampled), completion_ids: sampled, completion_logprobs },
      missingLogprobs: packed?.missing ?? [],
    };
  };
}

const TOKEN_KEYS = ['prompt_token_ids', 'completion_token_ids', 'logprobs'];

/** The ids that the metrics of a step hold, and what else they hold. Without the prompt's ids the completion's have no place. */
export function tokensOfMetrics(metrics: JsonObject, path: string): { arrays: TokenArrays | null; rest: JsonObject } {
  const paths = TOKEN_KEYS.map((key) => `${path}.${key}`);
  const [promptPath = '', completionPath = '', logprobsPath = ''] = paths;
  const prompt = arrayOrNull(metrics.prompt_token_ids, promptPath);
  const completion = arrayOrNull(metrics.completion_token_ids, completionPath);
  if (prompt === null || prompt.length === 0 || completion === null) return { arrays: null, rest: metrics };
  const logprobs = arrayOrNull(metrics.logprobs, logprobsPath);
  const arrays = { prompt, promptPath, completion, completionPath, logprobs, logprobsPath };
  return { arrays, rest: leftover(metrics, TOKEN_KEYS) ?? {} };
}

/** `rollout_details` of a trial: for each conversation the ids of all its calls. */
export interface RolloutDetails {
  readonly count: number;
  /** Number of calls that a conversation's ids are of; null: there is no such conversation, or its lists differ in length. */
  callsOf(conversation: number): number | null;
  arraysOf(conversation: number, call: number): TokenArrays | null;
  /** Its ids stand in the events. */
  use(conversation: number): void;
  /** What no event holds. */
  rest(): JsonValue | undefined;
}

export function rolloutDetails(value: JsonValue | undefined, path: string): RolloutDetails {
  const list = arrayOrNull(value, path) ?? [];
  const details = list.map((item) => (isObject(item) ? item : {}));
  const used = new Set<number>();
  const listAt = (conversation: number, key: string): readonly JsonValue[] | null => {
    const written = details[conversation]?.[key];
    return Array.isArray(written) ? written : null;
  };
  const callsOf = (conversation: number): number | null => {
    const [prompts, completions, logprobs] = TOKEN_KEYS.map((key) => listAt(conversation, key));
    if (!prompts || !completions || prompts.length !== completions.length) return null;
    return !logprobs || logprobs.length === prompts.length ? prompts.length : null;
  };
  return {
    count: list.length,
    callsOf,
    arraysOf(conversation, call) {
      const at = (key: string) => `${path}[${conversation}].${key}[${call}]`;
      const part = (key: string) => listAt(conversation, key)?.[call];
      if (part('prompt_token_ids') === undefined) return null;
      return {
        prompt: arrayAt(part('prompt_token_ids'), at('prompt_token_ids')),
        promptPath: at('prompt_token_ids'),
        completion: arrayAt(part('completion_token_ids'), at('completion_token_ids')),
        completionPath: at('completion_token_ids'),
        logprobs: arrayOrNull(part('logprobs'), at('logprobs')),
        logprobsPath: at('logprobs'),
      };
    },
    use: (conversation) => used.add(conversation),
    rest() {
      const kept = list.map((item, i) => (used.has(i) && isObject(item) ? (leftover(item, TOKEN_KEYS) ?? null) : item));
      return kept.every((item) => item === null) ? undefined : kept;
    },
  };
}

/** Both sources of ids say the same. */
export function isSameTokens(a: TokenArrays, b: TokenArrays): boolean {
  return isSame(a.prompt, b.prompt) && isSame(a.completion, b.completion) && isSame(a.logprobs, b.logprobs);
}

function isSame(a: readonly JsonValue[] | null, b: readonly JsonValue[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/** Extra of a call whose logprobs have holes. */
export function holesOf(tokens: AtifTokens | null): JsonObject | undefined {
  return unlessEmpty({ missing_logprobs: tokens?.missingLogprobs.length ? [...tokens.missingLogprobs] : undefined });
}
