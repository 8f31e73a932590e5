import type { StrictCall } from '../../../../processors/audit/tools/parse/strict-call.ts';
import { finishType } from '../conversations.ts';
import { engineText, promptText } from '../evidence.ts';
import { callKey, canonicalArguments, executionEvidence, executionsOf } from '../executions.ts';
import type { SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { callText, writtenCalls } from '../written-calls.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** The tasks' tools take text, and sound calls give them text: a check that finds something else was given something else. */
const IS_NO_TEXT = /should be a valid string|is not of type '?string|input_type=(?:int|float|bool|NoneType)\b/i;

/** Sound calls run as they were written, of answers that hold nothing else to judge. */
export const judgeArguments: Judge = ({ turns }) =>
  turns.flatMap((turn) => {
    const sound = soundCalls(turn);
    return sound.length === 0 || hasTwins(sound) ? [] : [judgeGiven(turn, sound)];
  });

/** The same call twice in one answer is two calls: each runs once, and has a result of its own. */
export const judgeDuplicates: Judge = ({ turns }) =>
  turns.flatMap((turn) => {
    const sound = soundCalls(turn);
    return hasTwins(sound) ? [judgeTwins(turn, sound)] : [];
  });

function judgeGiven(turn: SeenTurn, sound: readonly StrictCall[]): Judgement {
  const executions = executionsOf(turn);
  const said = sound.map((call) => engineText(turn.taken, callText(turn.taken, call)));
  // What is no JSON says nothing of what was executed that can be compared.
  const known = executions.filter(({ arguments: args }) => args !== null && canonicalArguments(args) !== null);
  const wanted = sound.map(keyOf);
  const other = known.find(({ name, arguments: args }) => !wanted.includes(callKey(name, args)));
  if (other !== undefined) {
    const detail = `a sound call was executed with other arguments: ${other.arguments}`;
    return laundered('arguments', 'arguments_changed', turn.turn, detail, [...said, executionEvidence(other, turn)]);
  }
  const checked = executions.find(({ outcome, output }) => outcome === 'refused' && IS_NO_TEXT.test(output));
  if (checked !== undefined) {
    const detail = 'a sound call was handed on with a value of another type, which the tool refused';
    return laundered('arguments', 'arguments_changed', turn.turn, detail, [...said, executionEvidence(checked, turn)]);
  }
  if (executions.length === 0 && turn.next?.isAllRead === true) {
    const evidence = [...said, promptText(turn.next, turn.next.addedText)];
    return laundered('arguments', 'call_lost', turn.turn, 'a sound call has no result in the next prompt', evidence);
  }
  if (known.length === sound.length) return faithful('arguments', turn.turn, 'executed as it was written', said);
  return notObservable('arguments', turn.turn, 'nothing shows what the call was executed with', said);
}

function judgeTwins(turn: SeenTurn, sound: readonly StrictCall[]): Judgement {
  const executions = executionsOf(turn).filter(({ outcome }) => outcome !== 'refused');
  const said = sound.map((call) => engineText(turn.taken, callText(turn.taken, call)));
  const shown = executions.map((one) => executionEvidence(one, turn));
  const counts = `${sound.length} calls were written, ${executions.length} executed`;
  if (executions.length === sound.length) return faithful('duplicate_call', turn.turn, counts, [...said, ...shown]);
  if (executions.length > sound.length)
    return laundered('duplicate_call', 'executed_again', turn.turn, counts, [...said, ...shown]);
  const isSeen = executions.some(({ of }) => of === 'record') || turn.next?.isAllRead === true;
  if (!isSeen)
    return notObservable('duplicate_call', turn.turn, 'nothing shows all that was executed', [...said, ...shown]);
  return laundered('duplicate_call', 'call_lost', turn.turn, counts, [...said, ...shown]);
}

/** Empty unless all that the answer says of calls is sound, and it is whole. */
function soundCalls(turn: SeenTurn): readonly StrictCall[] {
  const { taken } = turn;
  if (taken.status !== 200 || taken.ended !== 'complete' || finishType(taken.finishReason) !== 'stop') return [];
  const { calls, thinkCalls } = writtenCalls(turn);
  return thinkCalls.length > 0 || calls.some(({ fault }) => fault !== null) ? [] : calls;
}

function hasTwins(calls: readonly StrictCall[]): boolean {
  return new Set(calls.map(keyOf)).size < calls.length;
}

function keyOf({ name, argumentsText }: StrictCall): string {
  return callKey(name, argumentsText);
}
