import { finishType } from '../conversations.ts';
import { engineText, promptText, recordEnding, recordText } from '../evidence.ts';
import { executionsOf } from '../executions.ts';
import type { Seen, SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { writtenCalls } from '../written-calls.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';
import { keptText } from './kept-text.ts';

/** An answer that ran out of tokens, within a call or not: it is not whole, and half a call is none. */
export const judgeCuts: Judge = (seen) =>
  seen.turns
    .filter(({ taken }) => taken.status === 200 && finishType(taken.finishReason) === 'length')
    .map((turn) => judge(seen, turn));

function judge({ record }: Seen, seenTurn: SeenTurn): Judgement {
  const { turn, taken, next, recorded } = seenTurn;
  const said = engineText(taken, taken.rawText);
  const whole = writtenCalls(taken).calls.filter(({ fault }) => fault === null).length;
  const executions = executionsOf(seenTurn);
  const ran = executions.filter(({ outcome }) => outcome !== 'refused');
  if (ran.length > whole) {
    const [half] = ran.slice(whole);
    const shown = `${half?.name ?? 'a tool'} ${half?.arguments ?? ''}: ${half?.output ?? ''}`;
    const evidence = half?.of === 'next_prompt' && next !== null ? promptText(next, shown) : recordText(shown);
    return laundered('cut', 'half_call_executed', turn, 'a call that was cut off was executed', [said, evidence]);
  }
  if (next !== null) {
    if (executions.some(({ outcome }) => outcome === 'refused'))
      return faithful('cut', turn, 'the model was told that its call was cut off', [
        said,
        promptText(next, next.addedText),
      ]);
    if (next.commonPrefix === next.heldIds.length && next.addedText === '')
      return faithful('cut', turn, 'the next prompt goes on within the answer that was cut', [said]);
    const detail = 'the answer ran out of tokens; the next prompt goes on as from a whole one';
    return laundered('cut', 'cut_as_complete', turn, detail, [said, promptText(next, next.addedText)]);
  }
  const ending = record?.ending ?? null;
  if (record === null || ending === null)
    return notObservable('cut', turn, 'the answer ran out of tokens; nothing shows what was made of it', [said]);
  const evidence = [said, recordEnding(record)];
  if (ending.category === 'budget') return faithful('cut', turn, 'the record says that a limit ended it', evidence);
  const kept = keptText(recorded);
  if (ending.category === 'completion') {
    const detail = `the answer ran out of tokens; the record calls it complete${kept}`;
    return laundered('cut', 'cut_as_complete', turn, detail, evidence);
  }
  return notObservable('cut', turn, `the record ends as ${ending.category}${kept}`, evidence);
}
