import { dialectOfText } from '../../processors/audit/tools/parse/dialect-of.ts';
import { contentOf } from './content-of.ts';
import type { ChatMessage, ChatToolCall, NoConversation } from './conversation-of.ts';
import { isJsonObject, parsedJson } from './parsed-json.ts';
import type { SaidCall, SaidEvent } from './said-events.ts';

/** Input behind the last answer, kept so that each token stays at its place: no turn of anybody. */
export function nothingWasSampled({ kind, text, calls, has_completion_ids, n_completion }: SaidEvent): boolean {
  return kind === 'model_call' && text === null && calls.length === 0 && has_completion_ids && n_completion === 0;
}

/**
 * What a model call said. The text before any parser stands as it was sampled, calls and end-of-turn token included: those calls
 * are not told a second time. Where the source took the calls out of the text they stand beside it.
 */
export function callMessage(event: SaidEvent): ChatMessage | NoConversation {
  const { text, calls, source_format } = event;
  const extra = event.extra_json === null ? undefined : parsedJson(event.extra_json);
  const kept = isJsonObject(extra) ? extra : {};
  if (text !== null) {
    const isWithin = calls.some(([, , , , charStart]) => charStart !== null) || dialectOfText(text) !== null;
    if (calls.length === 0 || isWithin) return { role: 'assistant', content: text };
    return kept.content === undefined ? withCalls(text, calls) : { reason: 'call_in_parts' };
  }
  if (Array.isArray(kept.items)) return ofItems(kept.items, calls);
  // Its messages hold all that was said: without text there was none. Of other sources nobody knows.
  if (source_format !== 'strands-env' || calls.length === 0) return { reason: 'call_without_text' };
  return kept.content === undefined ? withCalls('', calls) : { reason: 'call_in_parts' };
}

/** Items of the Responses API: reasoning, text and calls as the server split them. */
function ofItems(items: readonly unknown[], calls: readonly SaidCall[]): ChatMessage | NoConversation {
  let [content, reasoning] = ['', ''];
  for (const item of items) {
    if (!isJsonObject(item)) return { reason: 'call_in_parts' };
    if (item.type === 'function_call') continue;
    const isReasoning = item.type === 'reasoning';
    if (!isReasoning && item.type !== 'message' && item.type !== undefined) return { reason: 'call_in_parts' };
    const text = isReasoning ? reasoningOf(item) : contentOf(JSON.stringify(item.content ?? null))?.text;
    if (text === undefined) return { reason: 'call_in_parts' };
    if (isReasoning) reasoning += text;
    else content += text;
  }
  const message = withCalls(content, calls);
  return 'reason' in message || reasoning === '' ? message : { ...message, reasoning_content: reasoning };
}

/** Its own text; a summary stands for it where that is all there is. undefined: encrypted, or of another form. */
function reasoningOf({ content, summary, encrypted_content }: Readonly<Record<string, unknown>>): string | undefined {
  const texts = [content, summary].map((parts) =>
    Array.isArray(parts) ? parts.map((part: unknown) => (isJsonObject(part) ? part.text : undefined)) : [],
  );
  const found = texts.find((list) => list.length > 0) ?? [];
  if (found.length === 0 && typeof encrypted_content === 'string') return undefined;
  return found.every((text) => typeof text === 'string') ? found.join('') : undefined;
}

function withCalls(content: string, calls: readonly SaidCall[]): ChatMessage | NoConversation {
  const told: ChatToolCall[] = [];
  for (const [id, name, raw, parsed] of calls) {
    const written = raw ?? parsed;
    if (name === null || written === null) return { reason: 'call_in_parts' };
    told.push({ id, type: 'function', function: { name, arguments: written } });
  }
  return { role: 'assistant', content, ...(told.length === 0 ? {} : { tool_calls: told }) };
}
