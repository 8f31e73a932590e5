import { parseHermes } from '../../../processors/audit/tools/parse/parse-calls.ts';
import type { StrictParse } from '../../../processors/audit/tools/parse/strict-call.ts';
import type { TruthCall } from '../truth.ts';

/** The calls that the model wrote, to the letter; drafts of a thought that the template had opened are none. */
export function writtenCalls({ promptText, rawText }: TruthCall): StrictParse {
  return parseHermes(rawText, promptText.trimEnd().endsWith('<think>'));
}

/** What the model wrote of a call: all of it, tags included. */
export function callText({ rawText }: TruthCall, call: StrictParse['calls'][number]): string {
  return rawText.slice(call.charStart, call.charEnd);
}
