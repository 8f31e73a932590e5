import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ToolCallInit } from '../../../schemas/generated/step-event.ts';
import { parseExact } from '../exact-json.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { jsonText, leftover } from '../json-text.ts';

/** Tool calls of an assistant message. */
export interface ChatToolCalls {
  readonly calls: ToolCallInit[];
  /** The source's own value, where the calls do not say all of it; undefined: they do. */
  readonly kept: JsonValue | undefined;
}

const NONE: ChatToolCalls = { calls: [], kept: undefined };
const NESTED_KEYS = ['id', 'type', 'function'];
const FLAT_KEYS = ['id', 'type', 'name', 'arguments'];
const FUNCTION_KEYS = ['name', 'arguments'];

/**
 * `[{id, type: 'function', function: {name, arguments}}]`, or flat `[{id, name, arguments}]`. The list and its items may be JSON in
 * strings. Arguments that are a string are what the model wrote; an object is what a parser made of it. What is no call at all
 * is kept and makes none.
 */
export function chatToolCalls(value: JsonValue | undefined): ChatToolCalls {
  if (value === undefined || value === null) return NONE;
  const list = unpacked(value);
  if (!Array.isArray(list)) return { calls: [], kept: value };
  const calls: ToolCallInit[] = [];
  let whole = true;
  for (const entry of list) {
    const item = unpacked(entry);
    const call = isObject(item) ? toolCall(item) : null;
    if (call === null) whole = false;
    else {
      calls.push(call.call);
      if (!call.whole) whole = false;
    }
  }
  return { calls, kept: whole ? undefined : value };
}

/** JSON in a string; what does not parse stays the string. */
function unpacked(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const parsed = parseExact(value);
  return parsed.kind === 'json' && parsed.duplicateKeys.length === 0 ? parsed.value : value;
}

/** Whole: the call's fields say all that the item does. */
function toolCall(item: JsonObject): { call: ToolCallInit; whole: boolean } | null {
  const nested = isObject(item.function) ? item.function : null;
  const said = nested ?? item;
  const { name, arguments: written } = said;
  if (nested === null && name === undefined && written === undefined) return null;
  const { id, type } = item;
  const rest = nested === null ? leftover(item, FLAT_KEYS) : leftover(item, NESTED_KEYS);
  const isPlain =
    typeof id === 'string' &&
    typeof name === 'string' &&
    written !== undefined &&
    (type === undefined || type === 'function') &&
    (nested === null || leftover(nested, FUNCTION_KEYS) === undefined);
  return {
    call: {
      call_id: typeof id === 'string' ? id : '',
      name: typeof name === 'string' ? name : null,
      arguments_raw: typeof written === 'string' ? bytesOfText(written) : null,
      arguments_parsed: typeof written === 'string' || written === undefined ? null : jsonText(written),
    },
    whole: isPlain && rest === undefined,
  };
}
