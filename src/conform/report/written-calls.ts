import { argumentsText } from '../../../processors/audit/tools/compare/canonical-text.ts';
import { DIALECTS, parseCalls } from '../../../processors/audit/tools/parse/parse-calls.ts';
import type { StrictCall, StrictParse } from '../../../processors/audit/tools/parse/strict-call.ts';
import type { TruthCall } from '../truth.ts';
import type { SeenTurn } from './seen.ts';

/** The calls that the model wrote, to the letter; drafts of a thought that the template had opened are none. */
export function writtenCalls({ taken, form }: Pick<SeenTurn, 'taken' | 'form'>): StrictParse {
  const dialect = DIALECTS.find(({ name }) => name === form);
  if (dialect === undefined) throw new Error(`no dialect ${form}`);
  const parse = parseCalls(taken.rawText, dialect, taken.promptText.trimEnd().endsWith('<think>'));
  if (!dialect.isUntyped) return parse;
  return { ...parse, calls: parse.calls.map(asJson), thinkCalls: parse.thinkCalls.map(asJson) };
}

/** Where a form writes no types the tools tell them: all arguments of the tasks' tools are text. */
function asJson(call: StrictCall): StrictCall {
  const { argumentsValue: value } = call;
  return { ...call, argumentsText: value === null ? null : argumentsText(value, false) };
}

/** What the model wrote of a call: all of it, tags included. */
export function callText({ rawText }: TruthCall, call: StrictParse['calls'][number]): string {
  return rawText.slice(call.charStart, call.charEnd);
}
