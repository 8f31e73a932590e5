import { finishType } from '../conversations.ts';
import { engineIds, engineText, idsAround, promptText, recordIds } from '../evidence.ts';
import type { NextPrompt } from '../next-prompt.ts';
import type { SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { verdictOf } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** A model may have several ids that end an answer: the one that was sampled stays, and no other takes its place. */
export const judgeEndTokens: Judge = ({ turns }) =>
  turns
    .filter(
      ({ taken }) => taken.status === 200 && taken.ended === 'complete' && finishType(taken.finishReason) === 'stop',
    )
    .map(judge);

const CHECK = 'eos';
const END = /<[|\uff5c][^<>]{1,40}[|\uff5c]>$/;
const BEGINS_WITH_END = /^\s*(<[|\uff5c][^<>]{1,40}[|\uff5c]>)/;
const LAST_CHARACTERS = 24;

function judge(turn: SeenTurn): Judgement {
  const sides = [inPrompt(turn), inRecord(turn)].filter((side) => side !== null);
  const worst = verdictOf(sides.map(({ verdict }) => verdict));
  return (
    sides.find(({ verdict }) => verdict === worst) ??
    notObservable(CHECK, turn.turn, `ended by ${turn.taken.completionIds.at(-1)}; nothing shows what was made of it`)
  );
}

function inPrompt(seenTurn: SeenTurn): Judgement | null {
  const { turn, taken, next } = seenTurn;
  if (next === null) return null;
  const end = taken.completionIds.at(-1);
  const at = next.heldIds.length - 1;
  if (next.commonPrefix > at)
    return faithful(CHECK, turn, `the next prompt keeps ${end}, the id that ended the answer`);
  if (next.commonPrefix < at) return inText(seenTurn, next);
  const found = next.promptIds[at];
  const there = {
    of: 'next_prompt',
    call: next.call,
    index: at,
    ids: idsAround(next.promptIds, at),
    text: null,
  } as const;
  const detail = `the answer ended with ${end}; the next prompt has ${found ?? 'nothing'} in its place`;
  return laundered(CHECK, 'end_replaced', turn, detail, [engineIds(taken, taken.completionIds.length - 1), there]);
}

/** Where other ids stand before the end already, its text tells: what follows the last words of the answer. */
function inText({ turn, taken }: SeenTurn, next: NextPrompt): Judgement | null {
  const end = END.exec(taken.rawText)?.[0];
  if (end === undefined) return null;
  const words = taken.rawText.slice(0, -end.length).slice(-LAST_CHARACTERS);
  const at = next.addedText.indexOf(words);
  const found = at === -1 ? undefined : BEGINS_WITH_END.exec(next.addedText.slice(at + words.length))?.[1];
  if (found === undefined) return null;
  if (found === end) return faithful(CHECK, turn, `the next prompt has ${end} behind the answer, as it was sampled`);
  const detail = `the answer ended with ${end}; the next prompt has ${found} in its place`;
  return laundered(CHECK, 'end_replaced', turn, detail, [
    engineText(taken, `${words}${end}`),
    promptText(next, `${words}${found}`),
  ]);
}

function inRecord({ turn, taken, recorded }: SeenTurn): Judgement | null {
  const ids = recorded?.completionIds ?? null;
  if (recorded === null || ids === null) return null;
  const last = taken.completionIds.length - 1;
  const end = taken.completionIds[last];
  if (ids[last] === end) return faithful(CHECK, turn, `the record keeps ${end}, the id that ended the answer`);
  const as = ids.length === last ? 'end_dropped' : 'end_replaced';
  const detail = `the answer ended with ${end}; the record has ${ids[last] ?? 'nothing'} in its place`;
  return laundered(CHECK, as, turn, detail, [engineIds(taken, last), recordIds(recorded, last)]);
}
