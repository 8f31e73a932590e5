import type { Answer } from '../answer.ts';

export interface CompletionLogprobs {
  readonly text_offset: readonly number[];
  readonly token_logprobs: readonly number[];
  readonly tokens: readonly string[];
  readonly top_logprobs: ReadonlyArray<Readonly<Record<string, number>>>;
}

/** `logprobs` of `/v1/completions`: vLLM tells where a token's text begins and always its own logprob, SGLang -1 and only those that were asked for. */
export function completionLogprobs(answer: Answer, from: number, to: number): CompletionLogprobs | null {
  const { asked, ids, logprobs, textOf } = answer;
  if (asked.logprobs === null) return null;
  const isVllm = asked.dialect === 'vllm';
  const slice = logprobs.slice(from, to);
  const tokens = slice.map((_, at) => {
    const id = ids[from + at] ?? ids.at(-1) ?? 0;
    return asked.tokensAsIds ? `token_id:${id}` : textOf(id);
  });
  let offset = isVllm ? answer.deltas.slice(0, from).join('').length : 0;
  const text_offset = tokens.map((token) => {
    if (!isVllm) return -1;
    offset += token.length;
    return offset - token.length;
  });
  const isTold = isVllm || asked.logprobs > 0;
  const top_logprobs = isTold ? slice.map((logprob, at) => ({ [tokens[at] ?? '']: logprob })) : [];
  return { text_offset, token_logprobs: slice, tokens, top_logprobs };
}
