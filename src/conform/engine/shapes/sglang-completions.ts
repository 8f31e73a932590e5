import type { Answer } from '../answer.ts';
import { completionLogprobs } from './completion-logprobs.ts';
import { chunksOf, dataFrame, doneFrame, type Frame, type Shape } from './frame.ts';

/** SGLang's `/v1/completions`: ids that were not asked for are left out. */
export const sglangCompletions: Shape = { whole, frames };

function whole(answer: Answer): unknown {
  const { asked, finish } = answer;
  const choice = {
    index: 0,
    text: answer.text,
    logprobs: completionLogprobs(answer, 0, answer.logprobs.length),
    finish_reason: finish.type,
    matched_stop: matchedStop(answer),
    ...(asked.returnTokenIds ? { token_ids: answer.ids, prompt_token_ids: asked.promptIds } : {}),
  };
  const usage = sglangUsage(answer);
  return { ...headOf(answer), choices: [choice], usage, metadata: metadataOf(answer) };
}

function* frames(answer: Answer): Iterable<Frame> {
  const { asked, ids, deltas, finish } = answer;
  for (const { at, to, isLast } of chunksOf(answer)) {
    const choice = {
      index: 0,
      text: deltas[at] ?? '',
      logprobs: completionLogprobs(answer, at, isLast ? answer.logprobs.length : to),
      finish_reason: isLast ? finish.type : null,
      matched_stop: isLast ? matchedStop(answer) : null,
      ...(asked.returnTokenIds ? { token_ids: ids.slice(at, to) } : {}),
      ...(asked.returnTokenIds && at === 0 ? { prompt_token_ids: asked.promptIds } : {}),
    };
    yield dataFrame({ ...headOf(answer), choices: [choice], usage: null }, to);
  }
  const { prompt_tokens_details: _, ...usage } = sglangUsage(answer);
  if (asked.includeUsage) yield dataFrame({ ...headOf(answer), choices: [], usage }, ids.length);
  yield doneFrame(ids.length);
}

function headOf({ asked, createdS }: Answer) {
  return { id: asked.requestId, object: 'text_completion', created: createdS, model: asked.model };
}

export function sglangUsage({ asked, ids }: Answer) {
  return {
    prompt_tokens: asked.promptIds.length,
    total_tokens: asked.promptIds.length + ids.length,
    completion_tokens: ids.length,
    prompt_tokens_details: null,
    reasoning_tokens: 0,
  };
}

export function matchedStop({ finish }: Answer): number | string | null {
  return finish.type === 'stop' ? finish.matched : null;
}

export function metadataOf({ spans }: Answer) {
  return { weight_version: spans.at(-1)?.version ?? 'v1' };
}
