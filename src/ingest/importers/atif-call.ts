import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ModelCallInit, ToolCallInit, UsageInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayOrNull, countOrNull, idOrNull, objectAt, objectOrNull, textOrNull } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { isRawReply, isRepaired, type ReplyKeeping } from './atif-raw-text.ts';
import { type AtifTokens, type TokenArrays, tokensOfMetrics } from './atif-tokens.ts';

export interface AtifCall {
  readonly call: ModelCallInit;
  /** Ids that the step itself holds; null: none. */
  readonly arrays: TokenArrays | null;
  /** What no field of the call holds. */
  readonly extra: Readonly<Record<string, JsonValue | undefined>>;
}

const CALL_KEYS = ['tool_call_id', 'function_name', 'arguments'];
const USAGE_KEYS = ['prompt_tokens', 'completion_tokens', 'cached_tokens'];

/** The model call that an agent's step tells of, without its ids. */
export function atifCall(step: JsonObject, path: string, keeping: ReplyKeeping, model: string | null): AtifCall {
  const { message, reasoning_content, model_name, metrics, extra, tool_calls } = step;
  const { arrays, rest } = tokensOfMetrics(objectOrNull(metrics, `${path}.metrics`) ?? {}, `${path}.metrics`);
  const { usage, left } = usageOf(rest);
  const calls = toolCalls(arrayOrNull(tool_calls, `${path}.tool_calls`) ?? [], `${path}.tool_calls`, step, keeping);
  const raw = isRawReply(step, keeping, arrays !== null) && typeof message === 'string' ? message : null;
  const stop = isObject(extra) ? (extra.stop_reason ?? extra.finish_reason) : null;
  return {
    call: {
      call_id: '',
      model: textOrNull(model_name, `${path}.model_name`) ?? model,
      raw_text: raw === null ? null : bytesOfText(raw),
      finish_reason: typeof stop === 'string' ? stop : null,
      usage,
      tool_calls: calls.calls,
    },
    arrays,
    extra: {
      content: raw === null ? (message ?? undefined) : undefined,
      reasoning_content: reasoning_content ?? undefined,
      tool_calls: calls.isWhole ? undefined : tool_calls,
      metrics: unlessEmpty(left),
    },
  };
}

/** The call with its ids. */
export function withTokens(call: ModelCallInit, tokens: AtifTokens | null): ModelCallInit {
  return tokens === null ? call : { ...call, ...tokens.tokens };
}

function toolCalls(
  items: readonly JsonValue[],
  path: string,
  step: JsonObject,
  { parser }: ReplyKeeping,
): { readonly calls: ToolCallInit[]; readonly isWhole: boolean } {
  let isWhole = true;
  const status = isRepaired(step, parser) ? 'repaired' : 'unknown';
  const calls = items.map((item, i): ToolCallInit => {
    const call = objectAt(item, `${path}[${i}]`);
    const { tool_call_id, function_name, arguments: written } = call;
    if (leftover(call, CALL_KEYS) !== undefined) isWhole = false;
    return {
      call_id: idOrNull(tool_call_id, `${path}[${i}].tool_call_id`) ?? '',
      name: textOrNull(function_name, `${path}[${i}].function_name`),
      // The format has objects alone: what the model wrote is not in it. A text is what some writers pass on as it was.
      arguments_raw: typeof written === 'string' ? bytesOfText(written) : null,
      arguments_parsed: typeof written === 'string' || written === undefined ? null : jsonText(written),
      parse_status: status,
      parser,
    };
  });
  return { calls, isWhole };
}

/** Counts of the engine; a count that is none stays as the source has it. */
function usageOf(metrics: JsonObject): { readonly usage: UsageInit | null; readonly left: JsonObject } {
  const [prompt_tokens, completion_tokens, cached_tokens] = USAGE_KEYS.map((key) => countOrNull(metrics[key]));
  const told = USAGE_KEYS.filter((key) => countOrNull(metrics[key]) !== null);
  const left = leftover(metrics, told) ?? {};
  if (told.length === 0) return { usage: null, left };
  return { usage: { prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens: null }, left };
}
