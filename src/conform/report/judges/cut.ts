import { tellsOfError } from '../../../../processors/audit/tools/turn/error-words.ts';
import { finishType } from '../conversations.ts';
import { engineText, promptText, recordEnding, recordText } from '../evidence.ts';
import { executionsOf, isShown } from '../executions.ts';
import type { Seen, SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { writtenCalls } from '../written-calls.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';
import { keptText } from './kept-text.ts';
import { tellsOfCut } from './tells-of-cut.ts';

/** An answer that ran out of tokens, within a call or not: it is not whole, and half a call is none. */
export const judgeCuts: Judge = (seen) =>
  seen.turns
    .filter(({ taken }) => taken.status === 200 && finishType(taken.finishReason) === 'length')
    .map((turn) => judge(seen, turn));

function judge({ record }: Seen, seenTurn: SeenTurn): Judgement {
  const { turn, taken, next, recorded } = seenTurn;
  const said = engineText(taken, taken.rawText);
  const whole = writtenCalls(seenTurn).calls.filter(({ fault }) => fault === null).length;
  const executions = executionsOf(seenTurn);
  const ran = executions.filter(({ outcome }) => outcome !== 'refused');
  const half = ran[whole];
  if (half !== undefined && isShown(half)) {
    const shown = `${half.name ?? 'a tool'} ${half.arguments ?? ''}: ${half.output}`;
    const evidence = half.of === 'next_prompt' && next !== null ? promptText(next, shown) : recordText(shown);
    return laundered('cut', 'half_call_executed', turn, 'a call that was cut off was executed', [said, evidence]);
  }
  if (next !== null) {
    if (
      executions.some(({ outcome }) => outcome === 'refused') ||
      tellsOfCut(next.besides) ||
      tellsOfError(next.besides)
    )
      return faithful('cut', turn, 'the model was told that it was cut off', [said, promptText(next, next.addedText)]);
    if (next.commonPrefix === next.heldIds.length && next.addedText === '')
      return faithful('cut', turn, 'the next prompt goes on within the answer that was cut', [said]);
    if (!next.isAllRead || half !== undefined)
      return notObservable('cut', turn, 'what the next prompt says may be of the cut, or not', [
        said,
        promptText(next, next.addedText),
      ]);
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
