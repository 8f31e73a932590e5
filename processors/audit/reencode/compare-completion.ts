import { isSameJson } from './same-json.ts';

/**
 * What became of a completion in a later prompt. bpe_split: the same text under other ids. tool_json_rerender: only JSON is
 * written in another way. think_stripped: its thinking was left out. render_drift: other text around what stayed.
 * replaced: too little of it stayed to be called the same completion.
 */
export type CompletionChange = 'bpe_split' | 'tool_json_rerender' | 'think_stripped' | 'render_drift' | 'replaced';

export function compareCompletion(sampled: string, later: string): CompletionChange {
  if (sampled === later) return 'bpe_split';
  const shorter = Math.min(sampled.length, later.length);
  let head = 0;
  while (head < shorter && sampled[head] === later[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && sampled[sampled.length - 1 - tail] === later[later.length - 1 - tail]) tail += 1;
  const gone = sampled.slice(head, sampled.length - tail);
  const came = later.slice(head, later.length - tail);
  if (came.trim() === '' && gone.includes('</think>')) return 'think_stripped';
  if (isSameJson(sampled, later)) return 'tool_json_rerender';
  return (head + tail) * 2 >= Math.max(sampled.length, later.length) ? 'render_drift' : 'replaced';
}
