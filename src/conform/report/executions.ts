import { argumentsText } from '../../../processors/audit/tools/compare/canonical-text.ts';
import { scanWholeJson } from '../../../processors/audit/tools/parse/scan-json.ts';
import { tellsOfError } from '../../../processors/audit/tools/turn/error-words.ts';
import { promptText, recordText } from './evidence.ts';
import type { SeenTurn } from './seen.ts';
import type { Evidence } from './verdict.ts';

/** What the stack did about a tool call of a turn. */
export interface Execution {
  readonly of: 'next_prompt' | 'record';
  /** ran: the tool had it; asked_empty: the tool was asked without the arguments, and said so; refused: the model was told of its error. */
  readonly outcome: 'ran' | 'asked_empty' | 'refused';
  /** null: not shown. */
  readonly name: string | null;
  /** JSON text that the tool was given; null: not shown. */
  readonly arguments: string | null;
  /** What the model was told, or is in the record. */
  readonly output: string;
}

/** Tools that say what they were given make it visible in the next prompt alone: `executed search {"query": "x"}`. */
const ECHO = /^\s*executed ([\w.-]+) (\{.*\})\s*$/s;
/** What checks arguments says this where there are none. */
const LACKS_ARGUMENTS =
  /field required|missing \d+ required|required positional|missing required|is a required property|input_value=\{\}/i;

/** Checks of arguments say it so; a person would not. */
const CHECKED = /field required|missing \d+ required|is a required property|input_value=\{\}/i;

/** Of a turn, in order; from the next prompt where there is one, which is what the model was told; else from the record. */
export function executionsOf({ next, recorded }: SeenTurn): Execution[] {
  const results = toldIn(next);
  if (next !== null && results.length > 0)
    return results.map((output, at) => {
      const call = next.history?.calls[at];
      return executionOf('next_prompt', output, call?.name ?? null, call?.arguments ?? null);
    });
  return (recorded?.results ?? []).map(({ callId, name, executed, status, output }) => {
    const call = recorded?.toolCalls.find((one) => one.callId === callId);
    const told = executionOf('record', output ?? '', name ?? call?.name ?? null, executed ?? call?.parsed ?? null);
    return told.outcome === 'ran' && status === 'not_executed' ? { ...told, outcome: 'refused' } : told;
  });
}

/** Results; or what a check of arguments says of none, in whatever role. */
function toldIn(next: SeenTurn['next']): readonly string[] {
  if (next === null || next.results.length > 0) return next?.results ?? [];
  return CHECKED.test(next.besides) ? [next.besides] : [];
}

function executionOf(of: Execution['of'], output: string, name: string | null, said: string | null): Execution {
  const echo = ECHO.exec(output);
  if (echo !== null) return { of, outcome: 'ran', name: echo[1] ?? name, arguments: echo[2] ?? said, output };
  const outcome = LACKS_ARGUMENTS.test(output) ? 'asked_empty' : tellsOfError(output) ? 'refused' : 'ran';
  return { of, outcome, name, arguments: said, output };
}

/** It is seen what ran. A text of no known words, without arguments, may be a result or the word that nothing ran. */
export function isShown({ of, outcome, arguments: args }: Execution): boolean {
  return of === 'record' || args !== null || outcome === 'asked_empty';
}

/** Equal texts are equal arguments; null: no JSON. */
export function canonicalArguments(json: string): string | null {
  const scan = scanWholeJson(json);
  return scan.kind === 'ok' ? argumentsText(scan.value, false) : null;
}

/** Equal keys are equal calls. */
export function callKey(name: string | null, json: string | null): string {
  return `${name ?? ''} ${canonicalArguments(json ?? '{}') ?? json ?? ''}`;
}

/** Nothing is in it. */
export function isEmptyObject(json: string | null): boolean {
  return json !== null && /^\s*\{\s*\}\s*$/.test(json);
}

/** An execution, as whoever shows it shows it. */
export function executionEvidence({ of, name, arguments: args, output }: Execution, { next }: SeenTurn): Evidence {
  const text = `${name ?? 'a tool'}${args === null ? '' : ` given ${args}`}: ${output}`;
  return of === 'next_prompt' && next !== null ? promptText(next, text) : recordText(text);
}
