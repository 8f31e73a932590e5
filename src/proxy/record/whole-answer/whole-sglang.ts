import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';

/**
 * SGLang sends all that it has in each chunk, or (incremental streaming) only what is new. The last chunk says how many tokens
 * there are: that tells the two apart. Logprobs may be told whole beside ids that are not, and the other way round.
 */
export function wholeSglang(chunks: readonly JsonObject[]): JsonObject {
  const last = chunks.at(-1) ?? {};
  const ids = chunks.map(({ output_ids }) => (Array.isArray(output_ids) ? output_ids : []));
  const texts = chunks.map(({ text }) => (typeof text === 'string' ? text : ''));
  const metas = chunks.map(({ meta_info }) => (isObject(meta_info) ? meta_info : {}));
  const meta = metas.at(-1) ?? {};
  const joined = ids.flat();
  const lastIds = ids.at(-1) ?? [];
  const counted = meta.completion_tokens;
  const isNew = joined.length === counted && lastIds.length !== counted;
  const hasIds = joined.length > 0;
  if (!isNew && grows(ids, isSameStart) && grows(texts, (before, after) => after.startsWith(before))) {
    return withLogprobs(last, metas, hasIds ? lastIds.length : counted);
  }
  const whole: JsonObject = { ...last, text: texts.join('') };
  if (hasIds) whole.output_ids = joined;
  return withLogprobs(whole, metas, hasIds ? joined.length : counted);
}

/** Of the last chunk, or those of all chunks together: whichever is one a token, or nearer to it (one too many is evidence). */
function withLogprobs(whole: JsonObject, metas: readonly JsonObject[], tokens: JsonValue | undefined): JsonObject {
  const last = metas.at(-1) ?? {};
  const told = last.output_token_logprobs;
  if (!Array.isArray(told) || told.length === tokens || typeof tokens !== 'number') return whole;
  const all = metas.flatMap(({ output_token_logprobs: some }) => (Array.isArray(some) ? some : []));
  if (Math.abs(all.length - tokens) >= Math.abs(told.length - tokens)) return whole;
  return { ...whole, meta_info: { ...last, output_token_logprobs: all } };
}

function grows<T>(values: readonly T[], extend: (before: T, after: T) => boolean): boolean {
  return values.every((value, i) => {
    const next = values[i + 1];
    return next === undefined || extend(value, next);
  });
}

function isSameStart(before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
  return before.length <= after.length && before.every((id, i) => id === after[i]);
}
