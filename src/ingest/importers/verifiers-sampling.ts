import type { SamplingInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull, numberOrNull, smallCountOrNull } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';

/** `sampling_args` of a run or the sampling of one call: what has no field of its own stays in its extra_json. null: there is none. */
export function verifiersSampling(value: JsonValue | undefined): SamplingInit | null {
  if (!isObject(value)) return null;
  const { temperature, top_p, top_k, max_tokens, max_completion_tokens, seed, ...rest } = value;
  const limit = max_tokens ?? max_completion_tokens ?? null;
  const sampling = {
    temperature: numberOrNull(temperature),
    top_p: numberOrNull(top_p),
    top_k: smallCountOrNull(top_k),
    max_tokens: smallCountOrNull(limit),
    seed: countOrNull(seed),
  };
  const kept: JsonObject | undefined = unlessEmpty({
    ...rest,
    temperature: unless(sampling.temperature, temperature),
    top_p: unless(sampling.top_p, top_p),
    top_k: unless(sampling.top_k, top_k),
    max_tokens: unless(sampling.max_tokens, max_tokens),
    max_completion_tokens: max_completion_tokens === sampling.max_tokens ? undefined : max_completion_tokens,
    seed: unless(sampling.seed, seed),
  });
  return { ...sampling, extra_json: kept === undefined ? null : jsonText(kept) };
}

/** What the source has in a place where the field could not take it; undefined: it is in the field, or there is nothing. */
function unless(taken: number | null, value: JsonValue | undefined): JsonValue | undefined {
  return taken !== null || value === null ? undefined : value;
}
