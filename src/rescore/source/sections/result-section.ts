import type { ToolResult } from '../../../../schemas/generated/step-event.ts';
import type { Section } from './section.ts';

export type ResultColumns = Pick<
  ToolResult,
  'name' | 'turn' | 'executed_arguments' | 'exit_code' | 'wait_us' | 'exec_us'
>;

/** Of a tool result what has columns of its own. Without tokens what was executed is left out: only audits look at it, and at the tool's name. */
export function resultSection(withTokens: boolean): Section<ResultColumns> {
  return {
    select: [
      ...(withTokens ? ['tool_name', 'executed_arguments'] : []),
      ...['tool_turn', 'exit_code', 'wait_us', 'exec_us'],
    ],
    read: (reader) => ({
      name: withTokens ? reader.nullableString() : null,
      executed_arguments: withTokens ? reader.nullableString() : null,
      turn: reader.nullableInt32(),
      exit_code: reader.nullableInt32(),
      wait_us: reader.nullableInt64(),
      exec_us: reader.nullableInt64(),
    }),
  };
}
