import { createHash } from 'node:crypto';
import type { Answer } from '../answer.ts';
import { createMessageStream, parsedMessage } from '../parsed-message.ts';
import { chatLogprobs } from './chat-logprobs.ts';
import { dataFrame, doneFrame, type Frame, type Shape } from './frame.ts';
import { stopReason, vllmUsage } from './vllm-completions.ts';

/** vLLM's `/v1/chat/completions`: fields that were not asked for are null; in a stream those that a chunk does not set are left out. */
export const vllmChat: Shape = { whole, frames };

function whole(answer: Answer): unknown {
  const { asked, finish } = answer;
  const { reasoning, content, calls } = parsedMessage(answer);
  const toolCalls = calls.map((call, at) => ({ id: callId(answer, at), type: 'function', function: call }));
  const nothing = { refusal: null, annotations: null, audio: null, function_call: null };
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...nothing,
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    reasoning,
  };
  return {
    id: asked.requestId,
    object: 'chat.completion',
    created: answer.createdS,
    model: asked.model,
    choices: [
      {
        index: 0,
        message,
        logprobs: chatLogprobs(answer, 0, answer.logprobs.length),
        finish_reason: calls.length > 0 ? 'tool_calls' : finish.type,
        stop_reason: stopReason(answer),
        token_ids: asked.returnTokenIds ? answer.ids : null,
        routed_experts: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: vllmUsage(answer, answer.ids.length),
    prompt_logprobs: null,
    prompt_token_ids: asked.returnTokenIds ? asked.promptIds : null,
    prompt_text: null,
    kv_transfer_params: null,
    ec_transfer_params: null,
    metrics: null,
  };
}

function* frames(answer: Answer): Iterable<Frame> {
  const { asked, ids, deltas, finish } = answer;
  const head = { id: asked.requestId, object: 'chat.completion.chunk', created: answer.createdS, model: asked.model };
  const opening = { index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null };
  const prompt = { prompt_token_ids: asked.returnTokenIds ? asked.promptIds : null, prompt_text: null };
  yield dataFrame({ ...head, choices: [opening], ...prompt }, 0);
  const stream = createMessageStream(answer);
  let called = 0;
  for (let at = 0; at < Math.max(1, ids.length); at++) {
    const to = Math.min(at + 1, ids.length);
    const isLast = to === ids.length;
    const added = stream(deltas[at] ?? '', isLast);
    called += added.calls.length;
    const delta = {
      ...(added.content === '' ? {} : { content: added.content }),
      ...(added.reasoning === '' ? {} : { reasoning: added.reasoning }),
      ...(added.calls.length === 0 ? {} : { tool_calls: added.calls.map((call) => callDelta(answer, call)) }),
    };
    const logprobs = chatLogprobs(answer, at, isLast ? answer.logprobs.length : to);
    // A chunk that would say nothing is not sent.
    if (!isLast && Object.keys(delta).length === 0 && logprobs === null && !asked.returnTokenIds) continue;
    const reason = finish.type === 'stop' && called > 0 ? 'tool_calls' : finish.type;
    const end = isLast ? { finish_reason: reason, stop_reason: stopReason(answer) } : { finish_reason: null };
    const token_ids = asked.returnTokenIds ? ids.slice(at, to) : null;
    yield dataFrame({ ...head, choices: [{ index: 0, delta, logprobs, ...end, token_ids }] }, to);
  }
  if (asked.includeUsage)
    yield dataFrame({ ...head, choices: [], usage: withoutNulls(vllmUsage(answer, ids.length)) }, ids.length);
  yield doneFrame(ids.length);
}

function callDelta(
  answer: Answer,
  { index, name, arguments: args }: { index: number; name: string; arguments: string },
) {
  return { id: callId(answer, index), type: 'function', index, function: { name, arguments: args } };
}

function callId({ asked }: Answer, index: number): string {
  return `chatcmpl-tool-${createHash('sha256').update(`${asked.requestId} ${index}`).digest('hex').slice(0, 16)}`;
}

function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
