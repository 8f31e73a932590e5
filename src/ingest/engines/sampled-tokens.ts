import type { JsonObject, JsonValue } from '../exact-number.ts';
import { packLogprobs, packTokenIds } from '../packed.ts';

/** Ids and logprobs of a completion as an engine gave them. */
export interface GivenTokens {
  readonly ids: readonly JsonValue[] | null;
  readonly idsField: string;
  readonly logprobs: readonly JsonValue[] | null;
  readonly logprobsField: string;
  /** The id beside each logprob; null: it is not told. */
  readonly idsOfLogprobs: readonly JsonValue[] | null;
  /** How many the engine says that it sampled. */
  readonly counted: number | null;
}

export interface SampledTokens {
  readonly ids: Buffer | null;
  readonly logprobs: Buffer | null;
  readonly missingLogprobs: readonly number[];
  readonly disagreement: JsonObject;
}

/**
 * The ids are kept as the engine gave them. Logprobs that are not one a token, or are of other tokens, are left out whole:
 * speculative decoding gives more of them than ids, and cutting would shift them. Both sides stay as evidence.
 */
export function sampledTokens(given: GivenTokens): SampledTokens {
  const { ids, logprobs, idsOfLogprobs, counted } = given;
  const disagreement: JsonObject = {};
  if (ids === null) {
    if (logprobs !== null) disagreement.logprobs_without_ids = logprobs.length;
    return { ids: null, logprobs: null, missingLogprobs: [], disagreement };
  }
  const packedIds = packTokenIds(ids, given.idsField);
  if (counted !== null && counted !== ids.length) {
    Object.assign(disagreement, { completion_ids: ids.length, completion_tokens: counted });
  }
  if (logprobs === null) return { ids: packedIds, logprobs: null, missingLogprobs: [], disagreement };
  if (logprobs.length !== ids.length) {
    Object.assign(disagreement, { completion_ids: ids.length, logprobs: [...logprobs] });
    return { ids: packedIds, logprobs: null, missingLogprobs: [], disagreement };
  }
  const differs = idsOfLogprobs === null ? -1 : ids.findIndex((id, i) => isAnother(id, idsOfLogprobs[i]));
  if (differs >= 0) {
    const other = idsOfLogprobs?.[differs] ?? null;
    Object.assign(disagreement, { first_id: differs, of_logprob: other, logprobs: [...logprobs] });
    return { ids: packedIds, logprobs: null, missingLogprobs: [], disagreement };
  }
  const packed = packLogprobs(logprobs, given.logprobsField);
  return { ids: packedIds, logprobs: packed.bytes, missingLogprobs: packed.missing, disagreement };
}

/** An id that is not told differs from none. */
function isAnother(id: JsonValue, other: JsonValue | undefined): boolean {
  return other !== undefined && other !== null && other !== id;
}
