import { promptEndOf, type TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** What was sampled continues what the template opens the assistant's turn with. */
export function checkGenerationPrompt(view: SegmentView): void {
  view.ranges.forEach((range, index) => {
    if (range.copied || range.end <= promptEndOf(range)) return;
    const turn = view.sampledIn[index] ?? null;
    const first = turn?.sampledAt === range.sampledStart;
    if (turn === null || (first && turn.role !== 'assistant' && turn.isWhole))
      reportMissing(view, range.sampledStart, turn);
    else if (first) checkOpening(view, turn, range.sampledStart);
  });
}

function reportMissing({ rules, report }: SegmentView, index: number, turn: TurnSpan | null): void {
  report({
    ...{ class: 'gen_prompt_missing', severity: 'fail', index, expectedIds: rules.generationPromptIds },
    detail:
      turn === null
        ? 'what was sampled follows no opening of an assistant turn'
        : `what was sampled continues a ${turn.roleText} turn`,
  });
}

function checkOpening(view: SegmentView, turn: TurnSpan, sampledStart: number): void {
  const { ids, rules, report } = view;
  if (
    turn.role !== 'assistant' ||
    !turn.isExact ||
    rules.generationPromptIds.some((id, i) => ids[turn.open + i] !== id)
  ) {
    report({
      ...{ class: 'gen_prompt_malformed', severity: 'fail', index: turn.open, expectedIds: rules.generationPromptIds },
      detail: 'the assistant turn that was sampled is not opened as the template opens it',
    });
    return;
  }
  checkPrefill(view, turn.bodyStart, sampledStart);
}

/** Where the template writes the beginning of the turn itself, such as an empty think block, it belongs to the prompt. */
function checkPrefill(view: SegmentView, from: number, sampledStart: number): void {
  const { ids, rules, report, input } = view;
  const vars = varsOf(input.templateVarsJson);
  for (const prefill of rules.prefills) {
    const isWanted = isSet(prefill.vars, vars);
    const isPrompt = prefill.ids.length === sampledStart - from && startsWith(ids, from, prefill.ids);
    if (isPrompt && isWanted === false)
      report({
        ...{ class: 'gen_prompt_malformed', severity: 'fail', index: from, expectedIds: [] },
        detail: `the prompt holds what the template writes under ${JSON.stringify(prefill.vars)}, and it was rendered otherwise`,
      });
    if (isPrompt || sampledStart !== from) continue;
    if (startsWith(ids, sampledStart, prefill.ids) && isWanted !== false)
      // A policy may write an empty think block by itself: only the recorded variables tell.
      report({
        ...{ class: 'think_prefill_in_completion', severity: isWanted === true ? 'fail' : 'warn', index: sampledStart },
        detail: `the completion begins with what the template writes into the prompt under ${JSON.stringify(prefill.vars)}`,
      });
    else if (isWanted === true)
      report({
        ...{ class: 'gen_prompt_malformed', severity: 'fail', index: sampledStart, expectedIds: prefill.ids },
        detail: `the prompt lacks what the template writes under ${JSON.stringify(prefill.vars)}`,
      });
  }
}

function startsWith(ids: Uint32Array, from: number, expected: readonly number[]): boolean {
  return expected.every((id, i) => ids[from + i] === id);
}

/** Whether the recorded variables are these; null: they do not say. */
function isSet(wanted: Readonly<Record<string, boolean>>, vars: Readonly<Record<string, unknown>>): boolean | null {
  let all: boolean | null = true;
  for (const [name, value] of Object.entries(wanted)) {
    if (typeof vars[name] !== 'boolean') all = all === false ? false : null;
    else if (vars[name] !== value) all = false;
  }
  return all;
}

function varsOf(json: string | null): Readonly<Record<string, unknown>> {
  if (json === null) return {};
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}
