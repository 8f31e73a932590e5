import type { Answer } from '../answer.ts';
import { completionLogprobs } from './completion-logprobs.ts';
import { chunksOf, dataFrame, doneFrame, type Frame, type Shape } from './frame.ts';

/** vLLM's `/v1/completions`. */
export const vllmCompletions: Shape = { whole, frames };

function whole(answer: Answer): unknown {
  const { asked, finish } = answer;
  return {
    ...headOf(answer),
    choices: [
      {
        index: 0,
        text: answer.text,
        logprobs: completionLogprobs(answer, 0, answer.logprobs.length),
        finish_reason: finish.type,
        stop_reason: stopReason(answer),
        token_ids: asked.returnTokenIds ? answer.ids : null,
        prompt_logprobs: null,
        prompt_token_ids: asked.returnTokenIds ? asked.promptIds : null,
        routed_experts: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: vllmUsage(answer, answer.ids.length),
    kv_transfer_params: null,
    ec_transfer_params: null,
    metrics: null,
  };
}

function* frames(answer: Answer): Iterable<Frame> {
  const { asked, ids, deltas, finish } = answer;
  for (const { at, to, isLast } of chunksOf(answer)) {
    const choice = {
      index: 0,
      text: deltas[at] ?? '',
      logprobs: completionLogprobs(answer, at, isLast ? answer.logprobs.length : to),
      finish_reason: isLast ? finish.type : null,
      stop_reason: isLast ? stopReason(answer) : null,
      prompt_token_ids: at === 0 && asked.returnTokenIds ? asked.promptIds : null,
      token_ids: asked.returnTokenIds ? ids.slice(at, to) : null,
    };
    yield dataFrame({ ...headOf(answer), choices: [choice] }, to);
  }
  const { prompt_tokens, total_tokens, completion_tokens } = vllmUsage(answer, ids.length);
  const usage = { prompt_tokens, total_tokens, completion_tokens };
  if (asked.includeUsage) yield dataFrame({ ...headOf(answer), choices: [], usage }, ids.length);
  yield doneFrame(ids.length);
}

function headOf({ asked, createdS }: Answer) {
  return { id: asked.requestId, object: 'text_completion', created: createdS, model: asked.model };
}

export function vllmUsage({ asked }: Answer, completion: number) {
  return {
    prompt_tokens: asked.promptIds.length,
    total_tokens: asked.promptIds.length + completion,
    completion_tokens: completion,
    prompt_tokens_details: null,
  };
}

/** Which stop ended it; null also where it was the model's first end token. */
export function stopReason({ finish, endsPlainly }: Answer): number | string | null {
  return finish.type === 'stop' && !endsPlainly ? finish.matched : null;
}
