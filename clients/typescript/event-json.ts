import type { AuxRef, Failure, Limits, Sampling, ToolCall, Usage } from './recorded.ts';

/** From what a loop hands in to the fields of a step event. */

/** JSON text of anything: what JSON cannot say (NaN, an infinity, a bigint) is kept as text, not as null. Throws on a cycle. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, sayable) ?? 'null';
}

function sayable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** JSON text of an object; null where there is none. */
export function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : jsonText(value);
}

/** Text as it is, anything else as JSON text. */
export function textOrNull(value: string | object | null | undefined): string | null {
  return typeof value === 'string' ? value : jsonOrNull(value);
}

/** Whole, as the schema has it; what is no number is unknown. */
export function integerOrNull(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : null;
}

export function failureOf(error: Failure | Error | string | null | undefined): Failure | null {
  if (error === null || error === undefined) return null;
  if (error instanceof Error) return { type: classOf(error), message: error.message };
  if (typeof error === 'string') return { type: null, message: error };
  return { type: error.type ?? null, message: error.message ?? null };
}

/** The class, which taxonomies know; of a plain Error or a DOMException the name that it was given. */
export function classOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name } = error.constructor;
  return name === 'Error' || name === 'DOMException' || name === '' ? error.name : name;
}

export function samplingOf(sampling: Sampling | null | undefined): object | null {
  if (sampling === null || sampling === undefined) return null;
  return {
    temperature: sampling.temperature ?? null,
    top_p: sampling.topP ?? null,
    top_k: sampling.topK ?? null,
    max_tokens: sampling.maxTokens ?? null,
    seed: sampling.seed ?? null,
    extra_json: jsonOrNull(sampling.extra),
  };
}

export function limitsOf(limits: Limits | null | undefined): object | null {
  if (limits === null || limits === undefined) return null;
  return {
    max_tokens: limits.maxTokens ?? null,
    max_turns: limits.maxTurns ?? null,
    max_tool_calls: limits.maxToolCalls ?? null,
    max_wall_us: integerOrNull(limits.maxWallUs),
  };
}

export function usageOf(usage: Usage | null | undefined): object | null {
  if (usage === null || usage === undefined) return null;
  return {
    prompt_tokens: usage.promptTokens ?? null,
    completion_tokens: usage.completionTokens ?? null,
    cached_tokens: usage.cachedTokens ?? null,
    reasoning_tokens: usage.reasoningTokens ?? null,
  };
}

export function toolCallOf(call: ToolCall): object {
  return {
    call_id: call.callId,
    name: call.name ?? null,
    arguments_raw: call.argumentsRaw ?? null,
    arguments_parsed: textOrNull(call.argumentsParsed),
    char_start: call.charStart ?? null,
    char_end: call.charEnd ?? null,
    parse_status: call.parseStatus ?? 'unknown',
    parser: call.parser ?? null,
  };
}

export function auxRefOf(aux: AuxRef | null | undefined): object | null {
  if (aux === null || aux === undefined) return null;
  return { name: aux.name, uri: aux.uri, sha256: aux.sha256 ?? null, shape: aux.shape ?? [], dtype: aux.dtype ?? '' };
}
