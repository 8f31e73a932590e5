import type { Answer } from '../answer.ts';

const utf8 = new TextEncoder();

/** `logprobs.content` of the tokens `[from, to)`, the same in both dialects. Alternatives: of those that were asked for, the sampled one. */
export function chatLogprobs(answer: Answer, from: number, to: number): { content: unknown[] } | null {
  const { asked, ids, logprobs, textOf } = answer;
  if (asked.logprobs === null) return null;
  const isTold = asked.logprobs > 0;
  return {
    content: logprobs.slice(from, to).map((logprob, at) => {
      const id = ids[from + at] ?? ids.at(-1) ?? 0;
      const text = textOf(id);
      const told = { token: asked.tokensAsIds ? `token_id:${id}` : text, logprob, bytes: [...utf8.encode(text)] };
      return { ...told, top_logprobs: isTold ? [{ ...told }] : [] };
    }),
  };
}
