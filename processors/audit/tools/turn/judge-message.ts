import type { TurnNotes } from '../../../model/tools-watch.ts';
import { around } from '../around.ts';
import { addFound, type FoundList } from '../found-list.ts';
import { tellsOfError } from './error-words.ts';

/** How Terminus-2 tells the model that it mended a reply and ran what it then read. */
const REPAIRED = /^"Previous response had warnings:[\s\S]{0,2000}?AUTO-CORRECTED:/;

/** What a message says of the turn before it: of an error in its calls, or that they were mended. `partsJson`: the message's. */
export function judgeMessage(notes: TurnNotes, partsJson: string, list: FoundList): void {
  notes.told ||= tellsOfError(partsJson);
  if (!notes.isUnlisted || !REPAIRED.test(partsJson.slice(0, 4_000))) return;
  for (const { fault, at, shown } of notes.calls) {
    if (fault === null) continue;
    addFound(list, { class: 'silent_repair', severity: 'fail', turn: notes.turn, index: at }, () => ({
      detail: `the reply is malformed (${fault}), and the loop says that it corrected it and went on`,
      evidence: { text: around(partsJson, 0), ...(shown === null ? {} : { expectedText: shown }) },
    }));
  }
}
