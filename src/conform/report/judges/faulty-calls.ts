import type { StrictCall } from '../../../../processors/audit/tools/parse/strict-call.ts';
import { tellsOfError } from '../../../../processors/audit/tools/turn/error-words.ts';
import type { TruthCall } from '../../truth.ts';
import { finishType } from '../conversations.ts';
import { engineText, promptText, recordEnding, recordText } from '../evidence.ts';
import {
  canonicalArguments,
  type Execution,
  executionEvidence,
  executionsOf,
  isEmptyObject,
  isShown,
} from '../executions.ts';
import type { Seen, SeenTurn } from '../seen.ts';
import type { CheckName, Evidence, Judgement } from '../verdict.ts';
import { callText, writtenCalls } from '../written-calls.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** Calls that are no calls: malformed, or never closed. They are the model's to learn from: not executed, and told. */
export const judgeFaultyCalls: Judge = (seen) =>
  seen.turns.flatMap((turn) => {
    const { taken } = turn;
    if (taken.status !== 200 || finishType(taken.finishReason) !== 'stop') return [];
    const { calls } = writtenCalls(turn);
    const faulty = calls.filter(({ fault }) => fault !== null);
    return faulty.map((call) => judge(seen, turn, call, calls));
  });

function judge(seen: Seen, turn: SeenTurn, call: StrictCall, calls: readonly StrictCall[]): Judgement {
  const { next, recorded, taken } = turn;
  const written = callText(taken, call);
  // A tag within the call may be the one that is not closed.
  const isUnclosed = call.fault?.kind === 'unclosed_tag' && !written.trimEnd().endsWith('</tool_call>');
  const check: CheckName = isUnclosed ? 'unclosed_call' : 'malformed_call';
  const said = engineText(taken, written);
  const sound = calls
    .filter(({ fault }) => fault === null)
    .map(({ argumentsText }) => canonicalArguments(argumentsText ?? '{}'));
  const executions = executionsOf(turn);
  const ran = executions.find(
    (one) => isOf(call, one) && one.outcome !== 'refused' && isShown(one) && !isSound(one, sound),
  );
  const listed = recorded?.toolCalls.find(({ status }) => status === 'malformed' || status === 'repaired');
  if (ran !== undefined) {
    if (listed?.status === 'repaired')
      return faithful(check, turn.turn, 'executed, and the record says that it was mended', [
        said,
        executionEvidence(ran, turn),
      ]);
    const isEmpty = ran.outcome === 'asked_empty' || isEmptyObject(ran.arguments);
    const as = isEmpty ? 'empty_arguments' : 'repaired';
    const what = check === 'unclosed_call' ? 'a call that was never closed' : 'a malformed call';
    const detail = `${what} was ${becameOf(ran)}${parserText(taken)}`;
    return laundered(check, as, turn.turn, detail, [said, executionEvidence(ran, turn)]);
  }
  const refused = executions.find(({ outcome }) => outcome === 'refused');
  if (refused !== undefined)
    return faithful(check, turn.turn, 'not executed, and the model was told', [said, executionEvidence(refused, turn)]);
  if (next !== null) {
    const added = promptText(next, next.addedText);
    if (tellsOfError(withoutCall(next.besides, written)))
      return faithful(check, turn.turn, 'not executed, and the model was told', [said, added]);
    if (!next.isAllRead || !executions.every(isShown))
      return notObservable(check, turn.turn, 'what the next prompt says may be of the call, or not', [said, added]);
    return laundered(check, 'call_lost', turn.turn, `the next prompt says nothing of the call${parserText(taken)}`, [
      said,
      added,
    ]);
  }
  if (listed !== undefined && seen.record?.ending?.category !== 'completion')
    return faithful(check, turn.turn, 'the record has it as malformed', [
      said,
      recordText(listed.raw ?? listed.parsed ?? ''),
    ]);
  return lost(check, seen, turn, said);
}

function becameOf({ outcome, arguments: args }: Execution): string {
  if (outcome === 'asked_empty') return 'handed on without its arguments, and the model told that they are missing';
  if (isEmptyObject(args)) return 'executed with {}';
  return args === null ? 'executed' : `executed with ${args}`;
}

/** Nothing was asked after it: the loop took it for an answer, unless it says otherwise. */
function lost(check: CheckName, { record }: Seen, { turn, taken, recorded }: SeenTurn, said: Evidence): Judgement {
  const ending = record?.ending ?? null;
  if (record === null || ending === null)
    return notObservable(check, turn, 'nothing was asked after it, and nobody says how it ended', [said]);
  const evidence = [said, recordEnding(record)];
  if (ending.category === 'completion') {
    const detail = `the call is lost: the record is of a rollout that was completed${parserText(taken)}`;
    return laundered(check, 'call_lost', turn, detail, evidence);
  }
  const held = recorded === null ? 'does not hold the turn' : `ends as ${ending.category}`;
  return notObservable(check, turn, `the record ${held}`, evidence);
}

/** On the chat route the engine parses: what it makes of a call is the first thing that may go wrong. */
function parserText({ parsedCalls }: TruthCall): string {
  if (parsedCalls === null) return '';
  return parsedCalls.length === 0
    ? "; the engine's own parser had found no call"
    : `; the engine's own parser had made of it ${parsedCalls.map(({ name, arguments: args }) => `${name} ${args}`).join(', ')}`;
}

function isOf({ name }: StrictCall, execution: Execution): boolean {
  return name === null || execution.name === null || execution.name === name;
}

function isSound({ arguments: args }: Execution, sound: readonly (string | null)[]): boolean {
  return args !== null && sound.includes(canonicalArguments(args));
}

/** What the model wrote itself tells it of nothing. */
function withoutCall(text: string, written: string): string {
  return text.replace(written, '');
}
