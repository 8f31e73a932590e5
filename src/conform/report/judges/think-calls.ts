import { engineText, recordText } from '../evidence.ts';
import { callKey, executionEvidence, executionsOf, isShown } from '../executions.ts';
import type { SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { callText, writtenCalls } from '../written-calls.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** A call that is drafted in a thought is no call. */
export const judgeThinkCalls: Judge = ({ turns }) => turns.flatMap((turn) => judge(turn) ?? []);

function judge(turn: SeenTurn): Judgement | null {
  const { taken, next, recorded } = turn;
  const { calls, thinkCalls } = writtenCalls(turn);
  const [draft] = thinkCalls;
  if (draft === undefined || taken.status !== 200) return null;
  const said = engineText(taken, callText(taken, draft));
  const executions = executionsOf(turn);
  const wanted = calls.map(({ name, argumentsText }) => callKey(name, argumentsText));
  const drafts = thinkCalls.map(({ name, argumentsText }) => callKey(name, argumentsText));
  const extra = executions.find((one) => {
    if (one.outcome === 'refused') return false;
    const key = callKey(one.name, one.arguments);
    const at = wanted.indexOf(key);
    if (at === -1) return drafts.includes(key);
    wanted.splice(at, 1);
    return false;
  });
  if (extra !== undefined)
    return laundered('think_call', 'draft_executed', turn.turn, 'a draft within a thought was executed', [
      said,
      executionEvidence(extra, turn),
    ]);
  const ran = executions.filter(({ outcome }) => outcome !== 'refused');
  const isUntold = ran.length > calls.length && !ran.every(isShown);
  if (ran.length > calls.length && !isUntold)
    return laundered(
      'think_call',
      'draft_executed',
      turn.turn,
      `${ran.length} calls were executed, ${calls.length} stand outside of thoughts`,
      [said, ...ran.map((one) => executionEvidence(one, turn))],
    );
  const listed = recorded?.toolCalls ?? [];
  if (executions.length === 0 && listed.length > calls.length)
    return laundered('think_call', 'draft_executed', turn.turn, 'the record lists a draft within a thought as a call', [
      said,
      recordText(listed.map(({ name, parsed }) => `${name ?? ''} ${parsed ?? ''}`).join('; ')),
    ]);
  if (
    (executions.length > 0 && !isUntold && next?.isAllRead !== false) ||
    (next === null && recorded !== null && calls.length === 0)
  )
    return faithful('think_call', turn.turn, 'only what stands outside of thoughts was executed', [said]);
  return notObservable('think_call', turn.turn, 'nothing shows which calls were executed', [said]);
}
