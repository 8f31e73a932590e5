import { callMessage, nothingWasSampled } from './call-message.ts';
import { contentOf } from './content-of.ts';
import type { SaidEvent } from './said-events.ts';

/** A message as chat templates take it. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  /** Arguments as JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Definitions as the source gave them; null: it gave none. */
  readonly tools: readonly unknown[] | null;
  /** Messages whose parts of text were joined, without anything between them. */
  readonly joined: number;
}

/** Why a rollout is no conversation: a hole in it would teach an answer to what nobody said. */
export interface NoConversation {
  readonly reason:
    | 'no_model_call'
    | 'no_prompt'
    | 'several_segments'
    | 'call_without_text'
    | 'call_in_parts'
    | 'tool_result_without_text'
    | 'message_not_text'
    | 'message_of_unknown_role';
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** What was said in an attempt, from its events in order; nothing is made up. */
export function conversationOf(events: readonly SaidEvent[]): Conversation | NoConversation {
  const said = events.filter((event) => event.kind !== 'start' && !nothingWasSampled(event));
  if (!said.some(({ kind }) => kind === 'model_call')) return { reason: 'no_model_call' };
  if (new Set(said.map(({ segment_id }) => segment_id)).size > 1) return { reason: 'several_segments' };
  const start = events.find(({ kind }) => kind === 'start');
  const messages: ChatMessage[] = [];
  let joined = 0;
  let called = false;
  for (const event of said) {
    if (event.kind === 'model_call' && !called) {
      called = true;
      // Where the source tells no user's message, its task is what the model was asked.
      if (!messages.some(({ role }) => role === 'user')) {
        if (start?.text === undefined || start.text === null) return { reason: 'no_prompt' };
        messages.push({ role: 'user', content: start.text });
      }
    }
    const message = messageOf(event);
    if ('reason' in message) return message;
    if (message.parts > 1) joined += 1;
    messages.push(message.message);
  }
  return { messages, tools: toolsOf(start?.tools_json ?? null), joined };
}

function messageOf(event: SaidEvent): { message: ChatMessage; parts: number } | NoConversation {
  if (event.kind === 'model_call') {
    const message = callMessage(event);
    return 'reason' in message ? message : { message, parts: 1 };
  }
  if (event.kind === 'tool_result') {
    const { text, call_id, tool_name } = event;
    if (text === null) return { reason: 'tool_result_without_text' };
    const about = {
      ...(call_id ? { tool_call_id: call_id } : {}),
      ...(tool_name === null ? {} : { name: tool_name }),
    };
    return { message: { role: 'tool', content: text, ...about }, parts: 1 };
  }
  if (!ROLES.has(event.role)) return { reason: 'message_of_unknown_role' };
  const content = contentOf(event.text);
  if (content === null) return { reason: 'message_not_text' };
  return { message: { role: event.role, content: content.text }, parts: content.parts };
}

function toolsOf(toolsJson: string | null): readonly unknown[] | null {
  if (toolsJson === null) return null;
  try {
    const tools: unknown = JSON.parse(toolsJson);
    return Array.isArray(tools) ? tools : null;
  } catch {
    return null;
  }
}
