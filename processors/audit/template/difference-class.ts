import type { RenderedComparison } from './compare-rendered.ts';
import type { Marked } from './split-at-marks.ts';
import type { TemplateRules } from './template-rules.ts';
import { textOf } from './text-of.ts';

export interface BoundaryDifference extends RenderedComparison {
  readonly recorded: readonly Marked[];
  readonly rendered: readonly Marked[];
  /** First part that differs. */
  readonly at: number;
}

/** What a control token that differs is called. */
export function boundaryClass(difference: BoundaryDifference): string {
  const { recorded, rendered, at, rules } = difference;
  const [was, should] = [recorded[at], rendered[at]];
  if (was !== undefined && was.mark === should?.mark) {
    if (was.mark === rules.endOfTurnId) return was.to === was.from ? 'separator_missing' : 'separator_malformed';
    return systemOf(difference) ?? (isLastTurn(difference) ? 'gen_prompt_malformed' : 'special_token_mismatch');
  }
  if (rules.bosId !== null && was?.mark === rules.bosId)
    return recorded.slice(0, at).every(({ mark }) => mark === rules.bosId) ? 'bos_duplicated' : 'bos_mid_sequence';
  if (rules.bosId !== null && should?.mark === rules.bosId) return 'bos_missing';
  const system = systemOf(difference);
  if (system !== null) return system;
  if (was?.mark === rules.endOfTurnId && recorded[at - 1]?.mark === rules.endOfTurnId) return 'end_of_turn_doubled';
  if (should?.mark === rules.endOfTurnId) return 'end_of_turn_missing';
  if (was === undefined && should?.mark === rules.turnOpenId && isLastTurn(difference)) return 'gen_prompt_missing';
  return 'special_token_mismatch';
}

/** One of the two begins with a system turn; null: both do, or none. */
function systemOf(difference: BoundaryDifference): string | null {
  const was = isSystemFirst(difference, difference.recordedIds, difference.recorded);
  if (was === isSystemFirst(difference, difference.renderedIds, difference.rendered)) return null;
  return was ? 'system_inserted' : 'system_missing';
}

function isSystemFirst({ rules, tokenizer }: BoundaryDifference, ids: Uint32Array, parts: readonly Marked[]): boolean {
  const first = parts.find(({ mark }) => mark === rules.turnOpenId);
  if (first === undefined) return false;
  return roleOf(textOf(tokenizer, ids, first.from, Math.min(first.to, first.from + 8)), rules) === 'system';
}

/** Of the text that follows the opening of a turn. */
export function roleOf(text: string, { headerEndId, headerText }: TemplateRules): string {
  const end = headerEndId === null ? text.indexOf(headerText) : -1;
  return end === -1 ? text : text.slice(0, end);
}

function isLastTurn({ rendered, at, rules }: BoundaryDifference): boolean {
  return !rendered.slice(at + 1).some(({ mark }) => mark === rules.turnOpenId);
}

/** Longest text that is looked at for a date: a line of a system turn is shorter. */
const MOST_CHARACTERS = 10_000;
const DATE = /\b(?:\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d{2}-\d{2})\b/g;

/** What a text that differs is called. */
export function bodyClass(written: string, expected: string): string {
  if (written.length <= MOST_CHARACTERS && written.replace(DATE, '') === expected.replace(DATE, ''))
    return 'template_vars';
  if (expected.includes('<think>') && withoutThink(expected) === withoutThink(written)) return 'think_stripped';
  if (written.includes('<think>') && withoutThink(written) === withoutThink(expected)) return 'think_kept';
  if (written.includes('<tool_call>') && !expected.includes('<tool_call>')) return 'tool_call_lost_in_history';
  if (/\{&(?:#34|quot);/.test(written) && !/\{&(?:#34|quot);/.test(expected)) return 'html_escape';
  return 'render_drift';
}

/** Not by a pattern: many openings without an end would be looked through again and again. */
function withoutThink(text: string): string {
  const from = text.indexOf('<think>');
  const to = from === -1 ? -1 : text.indexOf('</think>', from);
  return to === -1 ? text : text.slice(0, from) + text.slice(to + '</think>'.length).trimStart();
}
