import { isObject } from '../../server/request-value.ts';
import { RefusedRequest } from './asked.ts';
import type { Body } from './body-fields.ts';
import { pythonValue } from './hermes.ts';

/** Messages of a client as engines hand them to a chat template: parts joined, no content as an empty one, arguments as objects. */
export function templateMessages(messages: readonly unknown[], dialect: 'sglang' | 'vllm'): Body[] {
  return messages.map((message, at) => {
    if (!isObject(message) || typeof message.role !== 'string')
      throw new RefusedRequest(400, 'BadRequestError', `messages[${at}]: expected an object with a role`);
    const { tool_calls: calls, ...rest } = message;
    const content = contentText(message.content, dialect, at);
    if (!Array.isArray(calls) || calls.length === 0) return { ...rest, content };
    return { ...rest, content, tool_calls: calls.map((call) => withArguments(call, at)) };
  });
}

function contentText(content: unknown, dialect: 'sglang' | 'vllm', at: number): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  const texts = parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : null));
  if (parts.length === 0 || texts.includes(null))
    throw new RefusedRequest(400, 'BadRequestError', `messages[${at}].content: expected text, or parts of text`);
  return texts.join(dialect === 'vllm' ? '\n' : ' ');
}

function withArguments(call: unknown, at: number): unknown {
  if (!isObject(call) || !isObject(call.function)) return call;
  const { arguments: args } = call.function;
  if (typeof args !== 'string') return call;
  try {
    return { ...call, function: { ...call.function, arguments: pythonValue(args) } };
  } catch {
    throw new RefusedRequest(
      400,
      'BadRequestError',
      `messages[${at}]: the arguments of a tool call must be valid JSON`,
    );
  }
}
