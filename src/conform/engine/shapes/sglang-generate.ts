import type { Answer } from '../answer.ts';
import { chunksOf, dataFrame, doneFrame, type Frame, type Shape } from './frame.ts';

/**
 * SGLang's `/generate`. A chunk of a stream tells all so far, or with `incremental` what is new; what was not asked for is left out,
 * and of a call of one version only that version is told.
 */
export function sglangGenerate(incremental: boolean): Shape {
  return {
    whole: (answer) => bodyOf(answer, 0, answer.ids.length, answer.text, true),
    *frames(answer): Iterable<Frame> {
      let text = '';
      for (const { at, to, isLast } of chunksOf(answer)) {
        text = incremental ? (answer.deltas[at] ?? '') : text + (answer.deltas[at] ?? '');
        yield dataFrame(bodyOf(answer, incremental ? at : 0, to, text, isLast), to);
      }
      yield doneFrame(answer.ids.length);
    },
  };
}

function bodyOf(answer: Answer, from: number, to: number, text: string, isLast: boolean): Record<string, unknown> {
  const body = { text, output_ids: answer.ids.slice(from, to), meta_info: metaInfo(answer, from, to, isLast) };
  return answer.asked.returnPromptIds ? { ...body, prompt_token_ids: answer.asked.promptIds } : body;
}

/** Of the tokens `[from, to)`; counts and spans are of all up to `to`. */
export function metaInfo(answer: Answer, from: number, to: number, isLast: boolean): Record<string, unknown> {
  const { asked, finish, spans } = answer;
  const begun = spans.filter(({ start }, at) => at === 0 || start < to);
  const end = isLast ? answer.logprobs.length : to;
  return {
    id: asked.requestId,
    finish_reason: isLast ? finish : null,
    prompt_tokens: asked.promptIds.length,
    weight_version: begun.at(-1)?.version ?? 'v1',
    num_retractions: 0,
    ...(asked.logprobs === null ? {} : logprobsOf(answer, asked.logprobs, from, end)),
    reasoning_tokens: 0,
    completion_tokens: to,
    cached_tokens: answer.cachedTokens,
    ...(begun.length > 1 ? { weight_versions: spansOf(begun, to) } : {}),
    ...(isLast ? { e2e_latency: 0.125 } : {}),
  };
}

function spansOf(begun: Answer['spans'], to: number): unknown[] {
  return begun.map(({ start, version }, at) => ({ version, start, end: begun[at + 1]?.start ?? to }));
}

function logprobsOf(answer: Answer, top: number, from: number, to: number): Record<string, unknown> {
  const { asked, ids, logprobs, promptLogprobs, textOf } = answer;
  const entry = (logprob: number | null, id: number): unknown[] => [
    logprob,
    id,
    asked.textInLogprobs ? textOf(id) : null,
  ];
  // Beyond the ids, the last id again: an engine that tells one logprob too many has sampled no other token.
  const idAt = (at: number): number => ids[at] ?? ids.at(-1) ?? 0;
  const output = logprobs.slice(from, to).map((logprob, at) => entry(logprob, idAt(from + at)));
  const input = promptLogprobs.map((logprob, at) => entry(logprob, asked.promptIds[asked.logprobStart + at] ?? 0));
  const alternatives =
    top > 0
      ? {
          input_top_logprobs: input.map((one) => (one[0] === null ? null : [one])),
          output_top_logprobs: output.map((one) => [one]),
        }
      : {};
  return {
    input_token_logprobs: input,
    output_token_logprobs: output,
    ...alternatives,
    output_token_logprobs_length: to,
  };
}
