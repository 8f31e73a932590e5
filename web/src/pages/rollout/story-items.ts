import type { ExplainedAttempt, JsonRow } from '../../../../src/access/explanation.ts';
import { textOrEmpty } from './text-or-empty.ts';

/** A call of a tool, as the model call that asked for it has it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** As the model wrote them; null: the source has not kept it. */
  readonly raw: string | null;
  /** As its parser read them, JSON; null: not kept. */
  readonly parsed: string | null;
  /** Where it stands in the text of the model; null: not kept. */
  readonly span: { readonly from: number; readonly to: number } | null;
  /** ok, unknown, or what is wrong with it. */
  readonly status: string;
  readonly parser: string | null;
  readonly results: readonly JsonRow[];
}

export type StoryItem =
  | { readonly kind: 'call'; readonly turn: number; readonly step: JsonRow; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'step'; readonly step: JsonRow };

/** The steps of an attempt in their order; what a tool answered stands with the call that asked. */
export function storyItems({ steps }: Pick<ExplainedAttempt, 'steps'>): StoryItem[] {
  const turns = steps.filter(({ kind }) => kind === 'model_call');
  const answered = new Map<JsonRow, JsonRow>();
  let last = -1;
  for (const step of steps) {
    if (step.kind === 'model_call') last += 1;
    if (step.kind !== 'tool_result') continue;
    const turn = typeof step.tool_turn === 'number' ? step.tool_turn : last;
    const asked = turns[turn];
    if (asked !== undefined && strings(asked['tool_calls.call_id']).includes(textOrEmpty(step.call_id)))
      answered.set(step, asked);
  }
  return steps
    .filter((step) => !answered.has(step))
    .map((step) => {
      if (step.kind !== 'model_call') return { kind: 'step', step };
      const results = [...answered].flatMap(([result, asked]) => (asked === step ? [result] : []));
      return { kind: 'call', turn: turns.indexOf(step), step, calls: toolCalls(step, results) };
    });
}

function toolCalls(step: JsonRow, results: readonly JsonRow[]): ToolCall[] {
  const column = (name: string): readonly unknown[] => list(step[`tool_calls.${name}`]);
  const ids = column('call_id');
  return ids.map((id, at) => {
    const [from, to] = [column('char_start')[at], column('char_end')[at]];
    return {
      callId: textOrEmpty(id),
      name: textOrEmpty(column('name')[at]),
      raw: nullable(column('arguments_raw')[at]),
      parsed: nullable(column('arguments_parsed')[at]),
      span: typeof from === 'number' && typeof to === 'number' && to > from ? { from, to } : null,
      status: textOrEmpty(column('parse_status')[at]),
      parser: nullable(column('parser')[at]),
      results: results.filter(({ call_id }) => call_id === id && ids.indexOf(id) === at),
    };
  });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): string[] {
  return list(value).map(textOrEmpty);
}

function nullable(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
