import type { Found } from '../../../model/audit-summary.ts';
import type { CallNotes, TurnNotes } from '../../../model/tools-watch.ts';
import { canonicalOfTold } from '../compare/told-arguments.ts';
import { addFound, type FoundList } from '../found-list.ts';
import { callLabel } from './call-label.ts';

export interface TurnEnding {
  /** No model call follows: nothing was shown to the model any more. */
  readonly isLast: boolean;
  /** The sampler was stopped before the model was done, where the call itself did not say. */
  readonly isCut: boolean;
}

/** What can be said of a turn once the next one begins, or the attempt ends. Changes nothing but the list. */
export function endTurn(notes: TurnNotes, ending: TurnEnding, list: FoundList): void {
  const isCut = notes.isCut ?? ending.isCut;
  if (notes.thinkUnclosed && notes.isCut === null && !isCut)
    addFound(list, { class: 'think_unclosed', severity: 'warn', turn: notes.turn, index: null }, () => ({
      detail: 'the thought is never closed: nothing in it is a call',
    }));
  for (const call of notes.calls) if (!call.isDraft) endCall(notes, call, { isCut, isLast: ending.isLast }, list);
}

function endCall(notes: TurnNotes, call: CallNotes, { isCut, isLast }: TurnEnding, list: FoundList): void {
  const label = callLabel(call.callId, call.name);
  const add = (name: string, severity: 'fail' | 'warn', what: string) =>
    addFound(list, { class: name, severity, turn: notes.turn, index: call.at }, () => ({
      detail: `${label}: ${what}`,
      ...evidenceOf(call),
    }));
  if (call.fault === null) {
    // Neither listed nor executed. A name that nobody offered is told by itself; of a turn that was cut the loop may drop all.
    const isLost = notes.hasText && !notes.isUnlisted && call.callId === null && call.results === 0;
    if (isLost && !call.isUnknownTool && !isCut)
      add('parser_loss', 'fail', 'a well-formed call of the text that the loop does not have');
    return;
  }
  if (call.isOpen && notes.isCut === null) {
    if (isCut) add('truncated', 'warn', 'the sampler was stopped in the middle of the call');
    else add('malformed', 'warn', `malformed: ${call.fault}`);
  }
  if (isLast || (call.isOpen && isCut) || call.told || notes.told) return;
  add(
    'malformed_not_fed_back',
    'fail',
    `is malformed (${call.fault}), and nothing that the model is shown next says so`,
  );
}

function evidenceOf({ fault, shown, written }: CallNotes): Pick<Found, 'evidence'> {
  const expectedText = fault !== null || written === null ? null : canonicalOfTold(written);
  if (expectedText !== null) return { evidence: { expectedText } };
  return shown === null ? {} : { evidence: { text: shown } };
}
