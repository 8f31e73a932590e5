import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { leftover } from '../../../ingest/json-text.ts';

/**
 * SGLang tells the ids of a chat in `sglext`, of the whole answer, also at the end of a stream (sglang PR 34488): as vLLM and its own
 * other answers have them, by prompt and choice. What they say themselves stays.
 */
export function withSglextIds(answer: JsonObject): JsonObject {
  const { sglext, choices } = answer;
  if (!isObject(sglext) || !Array.isArray(choices)) return answer;
  const outputs = Array.isArray(sglext.output_ids) ? sglext.output_ids : [];
  const rest = leftover(sglext, ['input_ids', 'output_ids']);
  const { sglext: _, ...others } = answer;
  return {
    ...others,
    prompt_token_ids: answer.prompt_token_ids ?? sglext.input_ids ?? null,
    choices: choices.map((choice, at) => withIds(choice, outputs[at] ?? null)),
    ...(rest === undefined ? {} : { sglext: rest }),
  };
}

function withIds(choice: JsonValue, ids: JsonValue): JsonValue {
  return isObject(choice) && ids !== null ? { ...choice, token_ids: choice.token_ids ?? ids } : choice;
}
