import type { AnswerPaths, EngineAnswer } from '../../../ingest/engines/engine-answer.ts';
import { openaiAnswer } from '../../../ingest/engines/openai-answer.ts';
import { sglangAnswer } from '../../../ingest/engines/sglang-answer.ts';
import { isObject, type JsonObject } from '../../../ingest/exact-number.ts';
import { leftover } from '../../../ingest/json-text.ts';

/**
 * SGLang's OpenAI routes answer with the meta_info of `/generate` in each choice, when asked for it: ids and logprobs as the engine
 * has them, versions by token, the finish reason whole. Words and usage stay the choice's. null: there is none.
 */
export function withChoiceMeta(request: JsonObject, response: JsonObject, paths: AnswerPaths): EngineAnswer | null {
  const [first, ...others] = Array.isArray(response.choices) ? response.choices : [];
  if (!isObject(first) || !isObject(first.meta_info) || !Array.isArray(first.meta_info.output_token_logprobs))
    return null;
  const plain = leftover(first, ['meta_info', 'logprobs', 'token_ids']) ?? {};
  const words = openaiAnswer(request, { ...response, choices: [plain, ...others] }, paths);
  const tokens = sglangAnswer({}, { output_ids: first.token_ids ?? null, meta_info: first.meta_info }, paths);
  const { completion_ids, completion_logprobs, weight_spans, queue_us, server_e2e_us } = tokens.call;
  const { meta_info, missing_logprobs, disagreement, weight_version_stamped } = tokens.extra;
  const spans = weight_spans !== undefined && weight_spans.length > 0 ? { weight_spans } : {};
  return {
    ...words,
    call: {
      ...words.call,
      ...{ completion_ids, completion_logprobs, queue_us, server_e2e_us, ...spans },
      finish_reason: tokens.call.finish_reason ?? words.call.finish_reason,
    },
    extra: {
      ...words.extra,
      ...{ meta_info, missing_logprobs },
      disagreement: disagreement ?? words.extra.disagreement,
      weight_version_stamped: weight_version_stamped ?? words.extra.weight_version_stamped,
    },
  };
}
