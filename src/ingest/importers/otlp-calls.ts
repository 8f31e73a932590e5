import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { SamplingInit, ToolCallInit, UsageInit } from '../../../schemas/generated/step-event.ts';
import { requestSampling } from '../engines/request-sampling.ts';
import { parseExact } from '../exact-json.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull } from '../fields.ts';
import { jsonText, leftover } from '../json-text.ts';
import type { OtelSpan } from './otlp-spans.ts';

/** Words of the conventions, and those that are seen beside them. */
const CHAT = ['chat', 'text_completion', 'generate_content', 'call_llm', 'completion', 'responses', 'llm'];
const OTHERS = ['execute_tool', 'invoke_agent', 'invoke_workflow', 'create_agent', 'embeddings', 'retrieval'];

/** A call of a model: by its operation, or by what only such a call has. */
export function isModelCall({ attributes }: OtelSpan): boolean {
  const operation = attributes['gen_ai.operation.name'];
  if (typeof operation === 'string' && CHAT.includes(operation)) return true;
  if (typeof operation === 'string' && OTHERS.includes(operation)) return false;
  return (
    attributes['gen_ai.response.finish_reasons'] !== undefined || attributes['gen_ai.usage.output_tokens'] !== undefined
  );
}

export interface OtelCall {
  readonly callId: string | null;
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly usage: UsageInit | null;
  readonly sampling: SamplingInit | null;
  readonly toolCalls: ToolCallInit[];
  /** Text of what the model said; null: it said none, or nobody recorded it. */
  readonly text: string | null;
  /** Attributes that no field says. */
  readonly rest: JsonObject | undefined;
}

const USAGE = {
  prompt_tokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
  completion_tokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
  cached_tokens: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cached_tokens'],
  reasoning_tokens: ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'],
} as const;
const REQUEST = 'gen_ai.request.';

/** `turn` makes ids of calls that have none. */
export function otelCall({ attributes }: OtelSpan, turn: number): OtelCall {
  const said = new Set<string>();
  const text = (key: string): string | null => {
    const value = attributes[key];
    if (typeof value !== 'string' || value === '') return null;
    said.add(key);
    return value;
  };
  const callId = text('gen_ai.response.id');
  const model = text('gen_ai.response.model') ?? text('gen_ai.request.model');
  if (attributes['gen_ai.request.model'] === model) said.add('gen_ai.request.model');
  const finishReason = finishOf(attributes['gen_ai.response.finish_reasons']);
  if (finishReason !== null) said.add('gen_ai.response.finish_reasons');
  const output = outputOf(attributes, turn);
  return {
    callId,
    model,
    finishReason,
    usage: usageOf(attributes, said),
    sampling: samplingOf(attributes, said),
    toolCalls: output.toolCalls,
    text: output.text,
    rest: leftover(attributes, [...said]),
  };
}

/** One reason as it is; those of several choices as JSON. */
function finishOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || value.length === 0) return null;
  const [only, ...others] = value;
  return typeof only === 'string' && others.length === 0 ? only : jsonText(value);
}

function usageOf(attributes: JsonObject, said: Set<string>): UsageInit | null {
  const read = (keys: readonly string[]): number | null => {
    for (const key of keys) {
      const count = countOrNull(attributes[key]);
      if (count === null) continue;
      said.add(key);
      return count;
    }
    return null;
  };
  const usage = {
    prompt_tokens: read(USAGE.prompt_tokens),
    completion_tokens: read(USAGE.completion_tokens),
    cached_tokens: read(USAGE.cached_tokens),
    reasoning_tokens: read(USAGE.reasoning_tokens),
  };
  return Object.values(usage).some((count) => count !== null) ? usage : null;
}

function samplingOf(attributes: JsonObject, said: Set<string>): SamplingInit | null {
  const params: JsonObject = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(REQUEST) || key === 'gen_ai.request.model' || value === null) continue;
    params[key.slice(REQUEST.length)] = value;
    said.add(key);
  }
  return requestSampling(params);
}

/** JSON in a string, as attributes hold it; what does not parse is the text itself. */
export function unpacked(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  const parsed = parseExact(value);
  return parsed.kind === 'json' ? parsed.value : value;
}

/** What the model answered; it stays among the attributes, since its parts say more than text and calls. */
function outputOf(attributes: JsonObject, turn: number): { toolCalls: ToolCallInit[]; text: string | null } {
  const said = attributes['gen_ai.output.messages'] ?? attributes['gen_ai.output'];
  const output = unpacked(said);
  const toolCalls: ToolCallInit[] = [];
  const texts: string[] = [];
  if (typeof said === 'string' && !Array.isArray(output)) texts.push(said);
  for (const message of Array.isArray(output) ? output : []) {
    if (!isObject(message)) continue;
    const parts = Array.isArray(message.parts) ? message.parts : [message];
    for (const part of parts) {
      if (!isObject(part)) continue;
      const call = toolCallOf(part, `call-${turn}-${toolCalls.length}`);
      if (call !== null) toolCalls.push(call);
      else if (part.type === 'text' && typeof part.content === 'string') texts.push(part.content);
    }
  }
  return { toolCalls, text: texts.length === 1 ? (texts[0] ?? null) : null };
}

function toolCallOf(part: JsonObject, nameless: string): ToolCallInit | null {
  const name = part.type === 'tool_call' ? part.name : part['tool.name'];
  const written = part.type === 'tool_call' ? part.arguments : part['tool.args'];
  if (typeof name !== 'string') return null;
  const { id } = part;
  return {
    call_id: typeof id === 'string' && id !== '' ? id : nameless,
    name,
    arguments_raw: typeof written === 'string' ? bytesOfText(written) : null,
    arguments_parsed: written === undefined || typeof written === 'string' ? null : jsonText(written),
  };
}
