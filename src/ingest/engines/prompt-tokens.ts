import type { JsonObject, JsonValue } from '../exact-number.ts';
import { packTokenIds } from '../packed.ts';

/** Ids of a prompt as they were sent, and as the engine says that it read them. */
export interface GivenPrompt {
  readonly sent: readonly JsonValue[] | null;
  readonly sentField: string;
  readonly answered: readonly JsonValue[] | null;
  readonly answeredField: string;
  readonly counted: number | null;
}

/** The ids that were sent, or else those that the engine says it read; what disagrees goes into `disagreement`. */
export function promptTokens(given: GivenPrompt, disagreement: JsonObject): Buffer | null {
  const { sent, answered, counted } = given;
  const read = answered === null ? null : packTokenIds(answered, given.answeredField);
  if (sent === null) return read;
  const prompt = packTokenIds(sent, given.sentField);
  if (read !== null && !read.equals(prompt)) {
    const at = sent.findIndex((id, i) => id !== answered?.[i]);
    const first = at < 0 ? sent.length : at;
    Object.assign(disagreement, { prompt_ids: sent.length, first_prompt_id: first, engine_prompt_ids: answered });
  } else if (counted !== null && counted !== sent.length) {
    // Placeholders of images are expanded by the server.
    Object.assign(disagreement, { prompt_ids: sent.length, prompt_tokens: counted });
  }
  return prompt;
}

/** Token ids, and nothing else: a prompt may be a text, or a list of prompts. */
export function idsOrNull(value: JsonValue | undefined): JsonValue[] | null {
  return Array.isArray(value) && !value.some((item) => typeof item === 'string' || Array.isArray(item)) ? value : null;
}
