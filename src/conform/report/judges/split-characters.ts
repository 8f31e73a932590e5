import { engineText, promptText, recordText } from '../evidence.ts';
import { commonLength } from '../next-prompt.ts';
import type { SeenTurn } from '../seen.ts';
import { type Judgement, verdictOf } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** A character over several tokens: whole where its bytes came in pieces, and by its ids where the answer ends within it. */
export const judgeSplitCharacters: Judge = ({ turns }) =>
  turns.filter(({ taken }) => taken.status === 200 && /[^\0-\x7f]/.test(taken.rawText)).map(judge);

const CHECK = 'split_character';
const BROKEN = '\ufffd';

function judge(turn: SeenTurn): Judgement {
  const sides = [inHistory(turn), inPrompt(turn), inRecord(turn)].filter((side) => side !== null);
  const worst = verdictOf(sides.map(({ verdict }) => verdict));
  return (
    sides.find(({ verdict }) => verdict === worst) ??
    notObservable(CHECK, turn.turn, 'nothing shows what became of the character', [
      engineText(turn.taken, turn.taken.rawText),
    ])
  );
}

/** The text that a chat client sends back. */
function inHistory({ turn, taken, next }: SeenTurn): Judgement | null {
  const content = next?.history?.content ?? null;
  if (next === null || content === null) return null;
  const said = [engineText(taken, taken.rawText), promptText(next, content)];
  if (count(content) > count(taken.rawText))
    return laundered(CHECK, 'character_lost', turn, 'the client sent the text back with a broken character', said);
  // Half a character has no text of its own; and what stands in a call is no content.
  const rare = rareIn(taken.rawText.split('<tool_call>')[0] ?? '');
  return rare !== '' && !rare.includes(BROKEN) && content.includes(rare)
    ? faithful(CHECK, turn, 'the client sent the text back with the character whole', said)
    : null;
}

function inPrompt({ turn, taken, next }: SeenTurn): Judgement | null {
  if (next === null) return null;
  if (next.commonPrefix === next.heldIds.length)
    return faithful(CHECK, turn, 'the next prompt keeps the ids of the character');
  const isWhole = next.addedText.includes(BROKEN) === taken.rawText.includes(BROKEN);
  // A whole character that is encoded again is whole; half a one has no other ids than its own.
  if (isWhole && !taken.rawText.includes(BROKEN)) return null;
  return laundered(CHECK, 'character_lost', turn, 'the next prompt has other ids where the character was cut', [
    engineText(taken, taken.rawText),
    promptText(next, next.addedText),
  ]);
}

function inRecord({ turn, taken, recorded }: SeenTurn): Judgement | null {
  if (recorded === null) return null;
  const { completionIds: ids, rawText } = recorded;
  if (
    ids !== null &&
    ids.length === taken.completionIds.length &&
    commonLength(ids, taken.completionIds) === ids.length
  )
    return faithful(CHECK, turn, 'the record keeps the ids of the character');
  if (rawText === null) return null;
  const said = [engineText(taken, taken.rawText), recordText(rawText)];
  if (count(rawText) > count(taken.rawText))
    return laundered(CHECK, 'character_lost', turn, 'the text of the record has a broken character', said);
  if (ids === null && taken.rawText.includes(BROKEN))
    return laundered(
      CHECK,
      'character_lost',
      turn,
      'the record has text alone, which cannot hold half a character',
      said,
    );
  return null;
}

/** The first run of characters that are not ASCII. */
function rareIn(text: string): string {
  return /[^\0-\x7f]+/.exec(text)?.[0] ?? '';
}

function count(text: string): number {
  return text.split(BROKEN).length - 1;
}
