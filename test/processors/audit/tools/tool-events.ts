import { auditTools } from '../../../../processors/audit/tools/audit-tools.ts';
import { watchTools } from '../../../../processors/audit/tools/watch-tools.ts';
import type { Attempt } from '../../../../processors/model/attempt.ts';
import type { AuditAnswer } from '../../../../processors/model/audit-summary.ts';
import { bytesOfText } from '../../../../processors/model/text-bytes.ts';
import type { StepEventInit, ToolCallInit, ToolResultInit } from '../../../../schemas/generated/step-event.ts';
import { attemptOf, type CallTokens } from '../../events.ts';
import { createTestLane } from '../../harness.ts';

/** What happens in an attempt, in order. */
export type Step =
  | { readonly call: Omit<CallTokens, 'raw_text'>; readonly text: string | null }
  | { readonly result: ToolResultInit }
  | { readonly message: string };

/** A model call with its text, and calls as the loop understood them. */
export function says(text: string | null, listed: readonly ToolCallInit[] = [], call: CallTokens = {}): Step {
  return { call: { ...call, tool_calls: [...listed] }, text };
}

export function listed(
  call_id: string,
  name: string | null,
  parsed: unknown,
  over: Partial<ToolCallInit> = {},
): ToolCallInit {
  return { call_id, name, arguments_parsed: parsed === undefined ? null : JSON.stringify(parsed), ...over };
}

export function ran(
  call_id: string,
  name: string,
  executed: unknown,
  over: Partial<ToolResultInit> & { text?: string } = {},
): Step {
  const { text = 'done', ...rest } = over;
  const executed_arguments = executed === undefined ? null : JSON.stringify(executed);
  return { result: { call_id, name, executed_arguments, status: 'ok', output: bytesOfText(text), ...rest } };
}

export interface AuditOptions {
  readonly tools?: unknown;
  readonly raw?: string;
  /** Parser of replies that the start names. */
  readonly parser?: string;
  /** false: the start says that what the loop made of a text is not recorded. */
  readonly listsCalls?: false;
}

/** What the audit says of an attempt of these steps. */
export function auditSteps(
  steps: readonly Step[],
  { tools, raw = 'task_complete', parser, listsCalls }: AuditOptions = {},
) {
  const made = attemptOf();
  const events: StepEventInit[] = [
    made.start(
      { extra_json: JSON.stringify({ tool_parser: parser, lists_calls: listsCalls }) },
      { tools_json: tools === undefined ? null : JSON.stringify(tools) },
    ),
    ...steps.map((step, i): StepEventInit => {
      const seq = i + 1;
      if ('result' in step) return made.tool(seq, step.result);
      if ('message' in step)
        return {
          ...made.tool(seq, { call_id: '' }),
          ...{
            kind: 'message',
            tool_result: null,
            message: { role: 'user', parts_json: JSON.stringify(step.message) },
          },
        };
      return made.call(seq, { ...step.call, raw_text: step.text === null ? null : bytesOfText(step.text) });
    }),
    made.end(steps.length + 1, raw),
  ];
  // What a policy quarantines leaves the lane at once: the answer is caught where it is given.
  let said: { attempt: Attempt; answer: AuditAnswer } | null = null;
  const lane = createTestLane({
    audits: {
      watch: watchTools,
      byName: {
        tools(attempt, scored) {
          said = { attempt, answer: auditTools(attempt, scored) };
          return said.answer;
        },
      },
    },
  });
  lane.fold(...events);
  return shownOf(said);
}

function shownOf(said: { attempt: Attempt; answer: AuditAnswer } | null) {
  if (said === null) throw new Error('the attempt was not audited');
  const { result, missing, findings } = said.answer;
  return {
    result,
    missing,
    findings,
    /** class, turn and index, in order. */
    found: findings.map(({ class: name, turn, index }) => [name, turn, index]),
    classes: findings.map(({ class: name }) => name),
    watch: said.attempt.watch?.tools ?? null,
  };
}

export const hermes = (...calls: readonly string[]): string =>
  calls.map((call) => `<tool_call>\n${call}\n</tool_call>`).join('\n');
