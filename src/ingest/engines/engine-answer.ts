import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { objectAt, Refused } from '../fields.ts';
import { openaiAnswer } from './openai-answer.ts';
import { sglangAnswer } from './sglang-answer.ts';

/** What an engine answered to one request, as far as an event holds it. */
export interface EngineAnswer {
  /** The model_call without its prompt: which of its tokens are new depends on the calls before (token-prefixes.ts). */
  readonly call: Omit<ModelCallInit, 'call_id' | 'prompt_prefix_len' | 'prompt_delta_ids'>;
  /** null: the engine gave none. */
  readonly callId: string | null;
  /** All ids of the prompt, packed; null: neither request nor answer has them. */
  readonly prompt: Buffer | null;
  /** What no field holds, and what disagrees: both sides, under `disagreement`. */
  readonly extra: Readonly<Record<string, JsonValue | undefined>>;
}

/** Where the two stand, for messages: `request`, `response`. */
export interface AnswerPaths {
  readonly request: string;
  readonly response: string;
}

/**
 * A recorded call of SGLang's `/generate` or of an OpenAI-compatible server (chat completions, completions), told by its
 * shape. Throws Refused where token ids or logprobs are none.
 */
export function engineAnswerOf(request: JsonObject, response: JsonValue | undefined, paths: AnswerPaths): EngineAnswer {
  const answer = objectAt(response, paths.response);
  if (Array.isArray(answer.choices)) return openaiAnswer(request, answer, paths);
  if (answer.meta_info !== undefined || answer.output_ids !== undefined) return sglangAnswer(request, answer, paths);
  const expected = 'meta_info (SGLang /generate) or choices (OpenAI)';
  throw new Refused(paths.response, expected, Object.keys(answer).slice(0, 8).join(', ') || 'an empty object');
}
