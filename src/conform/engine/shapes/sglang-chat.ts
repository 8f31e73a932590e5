import { createHash } from 'node:crypto';
import type { Answer } from '../answer.ts';
import { createMessageStream, type MessageDelta, parsedMessage } from '../parsed-message.ts';
import { chatLogprobs } from './chat-logprobs.ts';
import { dataFrame, doneFrame, type Frame, type Shape } from './frame.ts';
import { matchedStop, metadataOf, sglangUsage } from './sglang-completions.ts';
import { metaInfo } from './sglang-generate.ts';

/** SGLang's `/v1/chat/completions`. Ids by choice only in a whole answer; `sglext` tells them once, in a stream at its end. */
export const sglangChat: Shape = { whole, frames };

function whole(answer: Answer): unknown {
  const { asked, finish, ids } = answer;
  const { reasoning, content, calls } = parsedMessage(answer);
  const isCalled = calls.length > 0 && finish.type === 'stop';
  const tool_calls = calls.length === 0 ? null : calls.map((call, index) => toolCall(answer, { ...call, index }));
  const choice = {
    index: 0,
    message: { role: 'assistant', content, reasoning_content: reasoning, tool_calls },
    logprobs: chatLogprobs(answer, 0, answer.logprobs.length),
    finish_reason: isCalled ? 'tool_calls' : finish.type,
    matched_stop: isCalled ? null : matchedStop(answer),
    ...(asked.returnPromptIds || asked.returnTokenIds ? { prompt_token_ids: asked.promptIds } : {}),
    ...(asked.returnTokenIds ? { token_ids: ids } : {}),
    ...(asked.returnMetaInfo ? { meta_info: metaInfo(answer, 0, ids.length, true) } : {}),
  };
  const told = sglextOf(answer);
  return {
    id: asked.requestId,
    object: 'chat.completion',
    created: answer.createdS,
    model: asked.model,
    choices: [choice],
    usage: sglangUsage(answer),
    metadata: metadataOf(answer),
    ...(told === null ? {} : { sglext: told }),
  };
}

function* frames(answer: Answer): Iterable<Frame> {
  const { asked, ids, deltas, finish } = answer;
  const head = { id: asked.requestId, object: 'chat.completion.chunk', created: answer.createdS, model: asked.model };
  const chunk = (
    delta: unknown,
    more: Partial<Record<'logprobs' | 'finish_reason' | 'matched_stop', unknown>> = {},
  ) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, matched_stop: null, ...more }],
  });
  yield dataFrame(chunk({ reasoning_content: null, role: 'assistant', content: '' }), 0);
  const stream = createMessageStream(answer);
  let called = 0;
  for (let at = 0; at < ids.length; at++) {
    const isLast = at + 1 === ids.length;
    const added = stream(deltas[at] ?? '', isLast);
    called += added.calls.length;
    let logprobs = chatLogprobs(answer, at, isLast ? answer.logprobs.length : at + 1);
    if (added.reasoning !== '') {
      yield dataFrame(chunk({ reasoning_content: added.reasoning }, { logprobs }), at + 1);
      logprobs = null;
    }
    if (asked.parsesCalls) {
      for (const delta of parsedDeltas(answer, added)) yield dataFrame({ ...chunk(delta), usage: null }, at + 1);
    } else if (added.content !== '') {
      yield dataFrame(chunk({ reasoning_content: null, content: added.content }, { logprobs }), at + 1);
      logprobs = null;
    }
    if (logprobs !== null) yield dataFrame(chunk({ reasoning_content: null }, { logprobs }), at + 1);
  }
  const isCalled = called > 0 && finish.type === 'stop';
  const end = { finish_reason: isCalled ? 'tool_calls' : finish.type, matched_stop: matchedStop(answer) };
  yield dataFrame(chunk({ reasoning_content: null }, end), ids.length);
  const told = sglextOf(answer);
  if (told !== null) yield dataFrame({ ...head, choices: [], usage: null, sglext: told }, ids.length);
  if (asked.includeUsage) yield dataFrame({ ...head, choices: [], usage: sglangUsage(answer) }, ids.length);
  yield doneFrame(ids.length);
}

/** What goes through the parser of calls has another form, and no logprobs: these have a chunk of their own. */
function parsedDeltas(answer: Answer, { content, calls }: MessageDelta): unknown[] {
  const nothing = { role: null, content: null, reasoning_content: null, tool_calls: null };
  const told = calls.map((call) => ({ ...nothing, tool_calls: [toolCall(answer, call)] }));
  return content === '' ? told : [{ ...nothing, content }, ...told];
}

function toolCall(
  { asked }: Answer,
  { index, name, arguments: args }: { index: number; name: string; arguments: string },
) {
  const id = createHash('sha256').update(`${asked.requestId} ${index}`).digest('hex').slice(0, 24);
  return { id: `call_${id}`, index, type: 'function', function: { name, arguments: args } };
}

function sglextOf({ asked, ids }: Answer): Record<string, unknown> | null {
  if (!asked.extInputIds && !asked.extOutputIds) return null;
  return {
    ...(asked.extInputIds ? { input_ids: asked.promptIds } : {}),
    ...(asked.extOutputIds ? { output_ids: [ids] } : {}),
  };
}
