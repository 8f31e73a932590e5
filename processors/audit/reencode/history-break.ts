import type { Found } from '../../model/audit-summary.ts';
import type { DeepRange, DeepSegment } from '../../model/deep-input.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { compareHistory, type HistoryBreak } from '../compare-history.ts';
import { type CompletionChange, compareCompletion } from './compare-completion.ts';
import { idsAround, textAround, textOf } from './shown.ts';

/** What a prompt made of the history that it should begin with, told by texts. Empty: all of it is there, or ids alone say it as well. */
export function historyBreak(segment: DeepSegment, parent: DeepSegment, tokenizer: Tokenizer): readonly Found[] {
  const forkAt = segment.forkAt ?? 0;
  const own = segment.ranges.find(({ copied }) => !copied);
  if (own === undefined) return [];
  const held = parent.tokenIds;
  const prompt = segment.tokenIds.subarray(0, own.sampledStart);
  if (!held.every(tokenizer.has) || !prompt.every(tokenizer.has)) return [];
  const later = { ids: held.subarray(forkAt), ranges: heldRanges(parent.ranges, forkAt) };
  const relative = compareHistory(later, prompt.subarray(forkAt));
  if (relative === null) return [];
  const broken = { ...relative, at: relative.at + forkAt, newAt: relative.newAt + forkAt };
  if (broken.newAt === prompt.length) return [];
  const end = completionEnd(parent, relative.within.end + forkAt, broken);
  const change = changeOf(held, prompt, broken, end, tokenizer);
  if (change === null || change === 'replaced') return [];
  return foundAs(change, { segment, parent, turn: own.turn, held, prompt, broken, tokenizer });
}

interface Place {
  readonly segment: DeepSegment;
  readonly parent: DeepSegment;
  readonly turn: number;
  readonly held: Uint32Array;
  readonly prompt: Uint32Array;
  readonly broken: HistoryBreak;
  readonly tokenizer: Tokenizer;
}

function foundAs(change: Exclude<CompletionChange, 'replaced'>, place: Place): readonly Found[] {
  const { segment, parent, turn, held, prompt, broken, tokenizer } = place;
  const [gone, came] = [broken.gone ?? 1, broken.came ?? 1];
  const common = {
    turn,
    index: broken.at,
    detail: `the prompt of call ${turn} (segment ${segment.id}) ${WHAT[change]}, from token ${broken.at} of segment ${parent.id} on (call ${broken.within.turn})`,
    evidence: {
      ids: idsAround(prompt, broken.newAt, came),
      expectedIds: idsAround(held, broken.at, gone),
      text: textAround(tokenizer, prompt, broken.newAt, came),
      expectedText: textAround(tokenizer, held, broken.at, gone),
    },
  };
  if (change === 'think_stripped') return [{ class: 'history_rewritten', severity: 'warn', ...common }];
  return [
    { class: 'pipeline_drift', severity: 'fail', ...common },
    { class: change, severity: 'fail', ...common },
  ];
}

const WHAT: Readonly<Record<Exclude<CompletionChange, 'replaced'>, string>> = {
  bpe_split: 'holds the same text under other ids: it was decoded and encoded again (retokenized)',
  tool_json_rerender: 'holds a tool call whose JSON was written anew: other blanks, escapes or order (rerendered)',
  think_stripped: 'leaves out the thinking of a completion (think stripped), as templates do with earlier turns',
  render_drift: 'holds other text than was sampled (rerendered)',
};

/** null: it is no matter of a completion, and the text did change. */
function changeOf(
  held: Uint32Array,
  prompt: Uint32Array,
  broken: HistoryBreak,
  end: number,
  tokenizer: Tokenizer,
): CompletionChange | null {
  const { at, newAt, gone, came } = broken;
  const text = (ids: Uint32Array, from: number, to: number) => textOf(tokenizer.decode(ids, from, to));
  if (gone !== null && came !== null && text(held, at, at + gone) === text(prompt, newAt, newAt + came))
    return 'bpe_split';
  if (isPrefix(tokenizer, held, at, prompt, newAt)) return 'bpe_split';
  if (end <= at) return null;
  const newEnd = endInPrompt(held, end, prompt, newAt, tokenizer);
  let back = 0;
  const most = Math.min(at, newAt, MOST_BACK);
  const isOf = (place: number) => held[place] === prompt[newAt - at + place] && !isSpecial(tokenizer, held[place]);
  while (back < most && isOf(at - 1 - back)) back += 1;
  return compareCompletion(text(held, at - back, end), text(prompt, newAt - back, newEnd));
}

/** Far enough for any call to be whole. */
const MOST_BACK = 1 << 16;

/** The text from `at` on goes on as that of the prompt does. */
function isPrefix(tokenizer: Tokenizer, held: Uint32Array, at: number, prompt: Uint32Array, newAt: number): boolean {
  const bytes = tokenizer.decode(held, at, held.length);
  const later = tokenizer.decode(prompt, newAt, prompt.length);
  if (bytes.length > later.length) return false;
  for (let byte = 0; byte < bytes.length; byte++) if (bytes[byte] !== later[byte]) return false;
  return true;
}

/** Where the completion that the break is in ends; of a prompt, the one that follows it: a prefilled `<think>` goes with it. */
function completionEnd({ ranges }: DeepSegment, end: number, { within, at }: HistoryBreak): number {
  if (within.isSampled) return end;
  const next = ranges.find(({ sampledStart, end: sampledEnd }) => sampledStart === end && sampledEnd > end);
  return next !== undefined && end - at <= PREFILL ? next.end : at;
}

/** Tokens of a prefilled think block, and some more. */
const PREFILL = 8;

/** The completion's last token, which closes it, once more; else the next added token that it does not have. */
function endInPrompt(held: Uint32Array, end: number, prompt: Uint32Array, newAt: number, tokenizer: Tokenizer): number {
  const last = held[end - 1] ?? 0;
  if (isSpecial(tokenizer, last)) {
    const found = prompt.indexOf(last, newAt);
    return found === -1 ? prompt.length : found + 1;
  }
  for (let at = newAt; at < prompt.length; at++) if (isSpecial(tokenizer, prompt[at])) return at;
  return prompt.length;
}

function isSpecial({ added }: Tokenizer, id: number | undefined): boolean {
  return id !== undefined && added.get(id)?.special === true;
}

function heldRanges(ranges: readonly DeepRange[], forkAt: number) {
  const held = [];
  for (const { turn, sampledStart, end } of ranges) {
    if (sampledStart > forkAt) held.push({ end: sampledStart - forkAt, isSampled: false, turn });
    if (end > forkAt && end > sampledStart) held.push({ end: end - forkAt, isSampled: true, turn });
  }
  return held;
}
