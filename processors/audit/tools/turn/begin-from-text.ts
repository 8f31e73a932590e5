import type { CallNotes, ToldArguments, TurnNotes } from '../../../model/tools-watch.ts';
import { around } from '../around.ts';
import { argumentsText } from '../compare/canonical-text.ts';
import { differences } from '../compare/differences.ts';
import { isSameTold, toldArguments, valueOfTold } from '../compare/told-arguments.ts';
import { addFound, type FoundList } from '../found-list.ts';
import { parseCalls } from '../parse/parse-calls.ts';
import type { StrictCall } from '../parse/strict-call.ts';
import { addChanges } from './add-changes.ts';
import { addOthers, isTaken } from './add-others.ts';
import type { ListedCall, TurnFacts, WrittenTurn } from './begin-turn.ts';
import { callLabel } from './call-label.ts';
import { createNoteRoom, MOST_NOTED, noteCall } from './note-call.ts';
import { pairCalls } from './pair-calls.ts';

/** A turn whose text is known: what it says to the letter against what the loop says that it says. */
export function beginFromText(facts: TurnFacts, source: WrittenTurn, list: FoundList): TurnNotes {
  const { turn, listed, isCut } = facts;
  const { text, dialect } = source;
  const { calls, thinkCalls, thinkUnclosed, isWhole } = parseCalls(text, dialect, facts.opensInThought);
  const { isUntyped } = dialect;
  if (thinkUnclosed && isCut === false)
    addFound(list, { class: 'think_unclosed', severity: 'warn', turn, index: null }, () => ({
      detail: 'the thought is never closed: nothing in it is a call',
      evidence: { text: around(text, text.length) },
    }));
  if (!isWhole)
    addFound(list, { class: 'malformed', severity: 'warn', turn, index: null }, () => ({
      detail: `malformed: more than ${calls.length + thinkCalls.length - 1} calls, of which the rest was not looked at`,
    }));
  const loops = listed.map((call) => loopArguments(call, isUntyped));
  const pairable = (call: StrictCall) => ({ name: call.name, told: ownArguments(call, isUntyped) });
  const written = calls.map(pairable);
  const drafts = thinkCalls.map(pairable);
  const pairs = pairCalls(
    written,
    drafts,
    listed.map(({ name }, i) => ({ name, told: loops[i] ?? null })),
  );
  const notes: CallNotes[] = [];
  const room = createNoteRoom();
  const note = (call: StrictCall, own: ToldArguments | null, index: number, isDraft: boolean): void => {
    const entry = listed[index] ?? null;
    const loop = loops[index] ?? null;
    const judged = judge({ call, own, entry, loop, isDraft }, facts, source, list);
    if (notes.length >= MOST_NOTED) return;
    notes.push(
      noteCall(
        {
          name: call.name,
          at: call.charStart,
          fault: call.fault?.kind ?? null,
          isOpen: judged.isOpen,
          shown: judged.shown,
          isDraft,
          isUnknownTool: judged.isUnknownTool,
          isChanged: judged.isChanged,
          value: call.argumentsValue,
          own,
          seen: call.seen,
          listed: entry,
          loop,
        },
        room,
      ),
    );
  };
  for (const [i, call] of calls.entries()) note(call, written[i]?.told ?? null, pairs.ofWritten[i] ?? -1, false);
  for (const [i, call] of thinkCalls.entries()) note(call, drafts[i]?.told ?? null, pairs.ofDraft[i] ?? -1, true);
  if (isWhole) addOthers(list, { turn, text, listed, loops, others: pairs.others });
  const isUnlisted = (dialect.isListless === true || !facts.listsCalls) && listed.length === 0;
  return { turn, hasText: isWhole, isUnlisted, isUntyped, isCut, thinkUnclosed, calls: notes, results: 0, told: false };
}

interface Pair {
  readonly call: StrictCall;
  /** Its arguments. */
  readonly own: ToldArguments | null;
  readonly entry: ListedCall | null;
  readonly loop: ToldArguments | null;
  readonly isDraft: boolean;
}

/** What a written call, and the loop's word for it, say at once. */
function judge(
  { call, own, entry, loop, isDraft }: Pair,
  { turn, offered, isCut }: TurnFacts,
  { text, dialect }: WrittenTurn,
  list: FoundList,
) {
  const label = callLabel(entry?.callId ?? null, call.name);
  const at = call.charStart;
  const place = call.fault?.at ?? at;
  const show = () => around(text.slice(at, call.charEnd), place - at);
  const add = (name: string, severity: 'fail' | 'warn', index: number, what: string) =>
    addFound(list, { class: name, severity, turn, index }, () => ({
      detail: `${label}: ${what}`,
      evidence: { text: show() },
    }));
  const isOpen = call.isOpen && isCut !== false;
  const isUnknownTool = !isDraft && call.name !== null && offered !== null && !offered.includes(call.name);
  const shown = call.fault === null ? null : show;
  if (isDraft) {
    if (entry !== null && isTaken(entry))
      add('think_call_executed', 'fail', at, 'written in a thought, and taken for a call');
    return { isOpen, isUnknownTool, isChanged: false, shown };
  }
  if (call.fault !== null && isOpen && isCut === true)
    add('truncated', 'warn', at, 'the sampler was stopped in the middle of the call');
  else if (call.fault !== null && !isOpen) add('malformed', 'warn', place, `malformed: ${call.fault.kind}`);
  if (isUnknownTool) add('unknown_tool', 'warn', at, 'no tool of that name was offered');
  if (call.argumentsValue === null || loop === null || isSameTold(own, loop))
    return { isOpen, isUnknownTool, isChanged: false, shown };
  const changes = differences(call.argumentsValue, valueOfTold(loop), dialect.isUntyped);
  addChanges(list, { turn, at, call: label, where: "in the loop's list", lossClass: 'parser_loss' }, changes);
  return { isOpen, isUnknownTool, isChanged: changes.length > 0, shown };
}

function loopArguments({ parsed, raw }: ListedCall, isUntyped: boolean): ToldArguments | null {
  const json = parsed ?? raw;
  return json === null ? null : toldArguments(json, isUntyped);
}

/** What carries no type is told as one text of what it may mean. */
function ownArguments({ argumentsText: raw, argumentsValue }: StrictCall, isUntyped: boolean): ToldArguments | null {
  if (argumentsValue === null) return null;
  return toldArguments(isUntyped || raw === null ? argumentsText(argumentsValue, isUntyped) : raw, isUntyped, true);
}
