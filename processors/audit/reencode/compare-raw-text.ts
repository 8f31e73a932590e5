import type { Found } from '../../model/audit-summary.ts';
import type { DeepRange, DeepSegment } from '../../model/deep-input.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { idsAround, textOf } from './shown.ts';

const MOST_CHARACTERS = 400;
const SHOWN_BEFORE = 80;

/** Does the text that was kept say what was sampled? Special tokens may be left out of it. null: it does. */
export function compareRawText(
  { id, tokenIds }: DeepSegment,
  { turn, sampledStart, end }: DeepRange,
  rawText: Uint8Array,
  tokenizer: Tokenizer,
): Found | null {
  const kept = textOf(rawText);
  const whole = textOf(tokenizer.decode(tokenIds, sampledStart, end));
  if (kept === whole) return null;
  const ordinary = tokenIds.slice(sampledStart, end).filter((one) => tokenizer.added.get(one)?.special !== true);
  const sampled = textOf(tokenizer.decode(ordinary, 0, ordinary.length));
  if (kept === sampled || kept === closed(tokenIds, sampledStart, end, tokenizer)) return null;
  let at = 0;
  while (at < kept.length && at < sampled.length && kept[at] === sampled[at]) at += 1;
  const from = Math.max(0, at - SHOWN_BEFORE);
  return {
    ...{ class: 'render_drift', severity: 'fail', turn, index: at },
    detail: `the raw text of call ${turn} is not what its ids say (segment ${id}), from character ${at} on: it was changed after it was sampled`,
    evidence: {
      ids: idsAround(tokenIds, sampledStart, end - sampledStart),
      text: kept.slice(from, from + MOST_CHARACTERS),
      expectedText: sampled.slice(from, from + MOST_CHARACTERS),
    },
  };
}

/** Without the special tokens that close it. */
function closed(ids: Uint32Array, from: number, end: number, tokenizer: Tokenizer): string {
  let to = end;
  while (to > from && tokenizer.added.get(ids[to - 1] ?? 0)?.special === true) to -= 1;
  return textOf(tokenizer.decode(ids, from, to));
}
