import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ToolResultInit, ToolStatus } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { asText, leftover } from '../json-text.ts';
import type { OtelSpan } from './otlp-spans.ts';

export function isTool({ attributes }: OtelSpan): boolean {
  const operation = attributes['gen_ai.operation.name'];
  if (operation !== undefined) return operation === 'execute_tool';
  return attributes['gen_ai.tool.name'] !== undefined;
}

/** Tool calls of the model that have no result yet. */
export interface AskedTool {
  readonly turn: number;
  readonly callId: string;
  readonly name: string | null;
  readonly segmentId: string;
}

const ARGUMENTS = ['gen_ai.tool.call.arguments', 'gen_ai.tool.args'];
const RESULTS = ['gen_ai.tool.call.result', 'gen_ai.output'];

/** A tool that ran. `asked` are calls without a result: by id, else the first of that name. */
export function otelToolResult(
  span: OtelSpan,
  asked: AskedTool[],
  segmentId: string,
): { readonly result: ToolResultInit; readonly rest: JsonObject | undefined } {
  const { attributes, status, statusMessage } = span;
  const id = textOf(attributes['gen_ai.tool.call.id']);
  const name = textOf(attributes['gen_ai.tool.name']);
  const own = asked.findIndex(
    (call) => call.segmentId === segmentId && (id === null ? call.name === name : call.callId === id),
  );
  const [found] = own < 0 ? [] : asked.splice(own, 1);
  const args = ARGUMENTS.find((key) => attributes[key] !== undefined);
  const output = RESULTS.find((key) => attributes[key] !== undefined);
  const error = attributes['error.type'];
  const isError = error !== undefined || status === 'error';
  const said = ['gen_ai.tool.call.id', 'gen_ai.tool.name', args ?? '', output ?? '', 'error.type'].filter((key) => {
    const value = attributes[key];
    return key === args || key === output || (typeof value === 'string' && value !== '');
  });
  return {
    result: {
      call_id: id ?? found?.callId ?? '',
      turn: found?.turn ?? null,
      name,
      executed_arguments: args === undefined ? null : asText(attributes[args] ?? null),
      status: statusOf(textOf(error), isError, output !== undefined, status),
      output: output === undefined ? null : bytesOfText(asText(attributes[output] ?? null)),
      error: isError ? { type: textOf(error), message: statusMessage } : null,
    },
    rest: leftover(attributes, said),
  };
}

/** `unset` is what a span says that nobody touched: that it went well is told by its result alone. */
function statusOf(error: string | null, isError: boolean, hasResult: boolean, status: string): ToolStatus {
  if (isError)
    return error !== null && /^(timeout|TimeoutError|.*\.TimeoutError)$/.test(error) ? 'timeout' : 'tool_error';
  return status === 'ok' || hasResult ? 'ok' : 'unknown';
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
