import { parseExact } from '../../../ingest/exact-json.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { asText, jsonText } from '../../../ingest/json-text.ts';
import { hashOf, textOfContent } from './conversation.ts';

/**
 * What an assistant message says, as a hash: the same of an answer and of what the client makes of it for its next request, which
 * may lose thoughts and space around, and writes arguments anew. null: it says nothing that could be told from another.
 */
export function replyHash(message: JsonValue | undefined): string | null {
  if (!isObject(message)) return null;
  const text = withoutThoughts(textOfContent(message.content) ?? '').trim();
  const calls = callsOf(message).map(({ name, args }) => [name, settled(args)]);
  return text === '' && calls.length === 0 ? null : hashOf(jsonText([text, ...calls]));
}

export interface SaidCall {
  readonly id: string | null;
  readonly name: string | null;
  /** As the message has it: text of JSON, mostly. */
  readonly args: JsonValue;
}

/** Tool calls of an assistant message, in OpenAI's shape. */
export function callsOf(message: JsonObject): SaidCall[] {
  const { tool_calls } = message;
  if (!Array.isArray(tool_calls)) return [];
  return tool_calls.filter(isObject).map((call) => {
    const said = isObject(call.function) ? call.function : call;
    return {
      id: typeof call.id === 'string' ? call.id : null,
      name: typeof said.name === 'string' ? said.name : null,
      args: said.arguments ?? null,
    };
  });
}

function withoutThoughts(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end === -1 ? text : text.slice(end + '</think>'.length);
}

/** Arguments that say the same in another order of spaces. */
function settled(args: JsonValue): string {
  if (typeof args !== 'string') return jsonText(args);
  const parsed = parseExact(args);
  return parsed.kind === 'json' ? jsonText(parsed.value) : asText(args);
}
