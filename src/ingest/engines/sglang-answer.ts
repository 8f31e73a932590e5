import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayOrNull, countOrNull, objectOrNull } from '../fields.ts';
import { references } from '../importers/references.ts';
import { asText, leftover, unlessEmpty } from '../json-text.ts';
import type { AnswerPaths, EngineAnswer } from './engine-answer.ts';
import { idsOrNull, promptTokens } from './prompt-tokens.ts';
import { requestSampling } from './request-sampling.ts';
import { sampledTokens } from './sampled-tokens.ts';
import { weightSpans } from './weight-spans.ts';

const META = [
  'id',
  'finish_reason',
  'output_token_logprobs_length',
  'weight_version',
  'weight_versions',
  'output_token_logprobs',
];
const COUNTS = ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const;
const RESPONSE = ['text', 'output_ids', 'meta_info', 'prompt_token_ids'];
const REQUEST = ['input_ids', 'sampling_params', 'model'];

/** An answer of SGLang's `/generate`. An abort may come as HTTP 200 with text: the finish reason is kept whole. */
export function sglangAnswer(request: JsonObject, response: JsonObject, paths: AnswerPaths): EngineAnswer {
  const metaPath = `${paths.response}.meta_info`;
  const meta = objectOrNull(response.meta_info, metaPath) ?? {};
  const counts = countsOf(meta);
  const sampled = sampledOf(response, meta, counts.completion_tokens, paths);
  const { disagreement } = sampled;
  const tokens = sampled.ids === null ? null : sampled.ids.length / 4;
  const versions = weightSpans(meta, tokens, disagreement);
  const prompt = promptTokens(
    {
      sent: idsOrNull(request.input_ids),
      sentField: `${paths.request}.input_ids`,
      answered: arrayOrNull(response.prompt_token_ids, `${paths.response}.prompt_token_ids`),
      answeredField: `${paths.response}.prompt_token_ids`,
      counted: counts.prompt_tokens,
    },
    disagreement,
  );
  const told = countOrNull(meta.output_token_logprobs_length);
  const logprobs = Array.isArray(meta.output_token_logprobs) ? meta.output_token_logprobs.length : null;
  if (told !== null && logprobs !== null && told !== logprobs) disagreement.output_token_logprobs_length = told;
  const { e2e_latency, queue_time, routed_experts } = meta;
  const large = references(routed_experts, `${metaPath}`, 'routed_experts');
  return {
    callId: typeof meta.id === 'string' && meta.id !== '' ? meta.id : null,
    prompt,
    call: {
      model: typeof request.model === 'string' ? request.model : null,
      completion_ids: sampled.ids,
      completion_logprobs: sampled.logprobs,
      weight_spans: versions.spans,
      raw_text: typeof response.text === 'string' ? bytesOfText(response.text) : null,
      finish_reason: finishReason(meta.finish_reason),
      sampling: isObject(request.sampling_params) ? requestSampling(request.sampling_params) : null,
      usage: counts.hasAny ? counts.usage : null,
      queue_us: microseconds(queue_time),
      server_e2e_us: microseconds(e2e_latency),
    },
    extra: {
      ...versions.extra,
      meta_info: unlessEmpty({
        ...leftover(meta, [...META, ...COUNTS, 'e2e_latency', 'queue_time', 'routed_experts']),
        ...counts.odd,
        id: typeof meta.id === 'string' && meta.id !== '' ? undefined : meta.id,
        e2e_latency: microseconds(e2e_latency) === null ? e2e_latency : undefined,
        queue_time: microseconds(queue_time) === null ? queue_time : undefined,
        routed_experts: large,
        output_token_logprobs_length: told === logprobs ? undefined : meta.output_token_logprobs_length,
        texts: textsOf(meta.output_token_logprobs),
      }),
      response: leftover(response, RESPONSE),
      request: unlessEmpty({
        ...leftover(request, REQUEST),
        input_ids: idsOrNull(request.input_ids) === null ? request.input_ids : undefined,
        sampling_params: isObject(request.sampling_params) ? undefined : request.sampling_params,
        model: typeof request.model === 'string' ? undefined : request.model,
      }),
      text: typeof response.text === 'string' ? undefined : response.text,
      missing_logprobs: sampled.missingLogprobs.length > 0 ? [...sampled.missingLogprobs] : undefined,
      disagreement: unlessEmpty(disagreement),
    },
  };
}

function sampledOf(response: JsonObject, meta: JsonObject, counted: number | null, paths: AnswerPaths) {
  const field = `${paths.response}.meta_info.output_token_logprobs`;
  const pairs = arrayOrNull(meta.output_token_logprobs, field);
  const given = arrayOrNull(response.output_ids, `${paths.response}.output_ids`);
  const logprobs = pairs?.map((pair) => (Array.isArray(pair) ? (pair[0] ?? null) : pair)) ?? null;
  const idsOfLogprobs = pairs?.map((pair) => (Array.isArray(pair) ? (pair[1] ?? null) : null)) ?? null;
  // Without output_ids those beside the logprobs are the engine's own.
  const ids = given ?? (idsOfLogprobs?.every((id) => id !== null) ? idsOfLogprobs : null);
  const idsField = given === null ? field : `${paths.response}.output_ids`;
  return sampledTokens({ ids, idsField, logprobs, logprobsField: field, idsOfLogprobs, counted });
}

/** The text beside each logprob, where the engine was asked for it. */
function textsOf(pairs: JsonValue | undefined): JsonValue[] | undefined {
  if (!Array.isArray(pairs)) return undefined;
  const texts = pairs.map((pair) => (Array.isArray(pair) ? (pair[2] ?? null) : null));
  return texts.some((text) => text !== null) ? texts : undefined;
}

/** Whole: an object as JSON text. */
export function finishReason(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return asText(value);
}

function countsOf(meta: JsonObject) {
  const usage: Record<(typeof COUNTS)[number], number | null> = {
    prompt_tokens: countOrNull(meta.prompt_tokens),
    completion_tokens: countOrNull(meta.completion_tokens),
    cached_tokens: countOrNull(meta.cached_tokens),
    reasoning_tokens: countOrNull(meta.reasoning_tokens),
  };
  const odd: Record<string, JsonValue | undefined> = {};
  for (const name of COUNTS) if (usage[name] === null && meta[name] !== null) odd[name] = meta[name];
  return { ...usage, usage, odd, hasAny: COUNTS.some((name) => usage[name] !== null) };
}

/** Seconds of the engine's clock. */
export function microseconds(value: JsonValue | undefined): number | null {
  if (typeof value !== 'number' || value < 0) return null;
  const us = Math.round(value * 1e6);
  return Number.isSafeInteger(us) ? us : null;
}
