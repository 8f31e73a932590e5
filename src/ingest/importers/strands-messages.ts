import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ParseStatus, ToolCallInit, ToolResultInit, UsageInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, countOrNull, objectAt, textAt } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';

/** What a message of strands holds, taken apart. `extra` is what the other fields do not say. */
export interface AssistantMessage {
  readonly callId: string | null;
  readonly rawText: Buffer | null;
  readonly toolCalls: ToolCallInit[];
  readonly usage: UsageInit | null;
  readonly serverUs: number | null;
  readonly extra: Readonly<Record<string, JsonValue | undefined>>;
}

export interface ToolUseNames {
  /** Of each tool: what the loop's parser made of its calls, where the counts say it for all of them. */
  readonly parseStatus: ReadonlyMap<string, ParseStatus>;
}

/** SDK text put in the place of a call that was cut off: not the policy's own. */
const SDK_TEXT = /^The selected tool .{0,200}tool use was incomplete/s;

export function assistantMessage(message: JsonObject, field: string, names: ToolUseNames): AssistantMessage {
  const { role: _role, content, tracking_id, metadata, ...rest } = message;
  const blocks = arrayAt(content, `${field}.content`);
  const texts: string[] = [];
  const toolCalls: ToolCallInit[] = [];
  let plain = true;
  for (const [i, block] of blocks.entries()) {
    const { text, toolUse, ...other } = objectAt(block, `${field}.content[${i}]`);
    // Only a text and then calls can be put together again from the fields; anything else is kept as it stands.
    if (Object.keys(other).length > 0 || (text !== undefined && i > 0)) plain = false;
    if (typeof text === 'string') {
      if (!SDK_TEXT.test(text)) texts.push(text);
    } else if (text !== undefined) plain = false;
    if (isObject(toolUse)) {
      const call = toolCall(toolUse, `${field}.content[${i}].toolUse`, names);
      toolCalls.push(call.call);
      if (!call.plain || text !== undefined) plain = false;
    } else if (toolUse !== undefined) plain = false;
  }
  const { usage, metrics, ...metadataRest } = isObject(metadata) ? metadata : {};
  const tokens = usageOf(usage);
  const time = latencyOf(metrics);
  const kept = unlessEmpty({ ...metadataRest, usage: tokens.rest, metrics: time.rest });
  return {
    callId: typeof tracking_id === 'string' ? tracking_id : null,
    rawText: texts.length > 0 ? bytesOfText(texts.join('')) : null,
    toolCalls,
    usage: tokens.usage,
    serverUs: time.us,
    extra: {
      content: plain ? undefined : content,
      tracking_id: typeof tracking_id === 'string' ? undefined : tracking_id,
      metadata: isObject(metadata) ? kept : metadata,
      message: unlessEmpty(rest),
    },
  };
}

function toolCall(use: JsonObject, field: string, names: ToolUseNames): { call: ToolCallInit; plain: boolean } {
  const { toolUseId, name, input, raw, ...rest } = use;
  const toolName = typeof name === 'string' ? name : null;
  // strands-sglang sets `raw` exactly where its parser failed.
  const isRaw = typeof raw === 'string';
  return {
    call: {
      call_id: textAt(toolUseId, `${field}.toolUseId`),
      name: toolName,
      arguments_raw: isRaw ? bytesOfText(raw) : null,
      arguments_parsed: input === undefined ? null : jsonText(input),
      parse_status: isRaw ? 'malformed' : (names.parseStatus.get(toolName ?? '') ?? 'unknown'),
    },
    plain: Object.keys(rest).length === 0 && toolName !== null && (raw === undefined || isRaw),
  };
}

const TOOL_STATUS: ReadonlyMap<JsonValue | undefined, 'ok' | 'tool_error'> = new Map([
  ['success', 'ok'],
  ['error', 'tool_error'],
]);

/** A tool result, and the block itself where its fields do not say all of it. */
export function toolResult(
  block: JsonObject,
  field: string,
): { result: ToolResultInit; block: JsonObject | undefined } {
  const { toolUseId, status, content, ...rest } = block;
  const known = TOOL_STATUS.get(status);
  const text = onlyText(content);
  const isWhole = known !== undefined && text !== null && Object.keys(rest).length === 0;
  return {
    result: {
      call_id: textAt(toolUseId, `${field}.toolUseId`),
      status: known ?? 'unknown',
      output: bytesOfText(text ?? jsonText(content ?? null)),
    },
    block: isWhole ? undefined : block,
  };
}

/** Text of a content that is one text block and nothing else. */
function onlyText(content: JsonValue | undefined): string | null {
  if (!Array.isArray(content) || content.length !== 1) return null;
  const [block] = content;
  if (!isObject(block) || Object.keys(block).length !== 1) return null;
  return typeof block.text === 'string' ? block.text : null;
}

function usageOf(value: JsonValue | undefined): { usage: UsageInit | null; rest: JsonValue | undefined } {
  if (!isObject(value)) return { usage: null, rest: value };
  const usage: UsageInit = {
    prompt_tokens: countOrNull(value.inputTokens),
    completion_tokens: countOrNull(value.outputTokens),
    cached_tokens: countOrNull(value.cacheReadInputTokens),
  };
  const { inputTokens, outputTokens, cacheReadInputTokens, ...rest } = value;
  const odd = {
    inputTokens: usage.prompt_tokens === null ? inputTokens : undefined,
    outputTokens: usage.completion_tokens === null ? outputTokens : undefined,
    cacheReadInputTokens: usage.cached_tokens === null ? cacheReadInputTokens : undefined,
  };
  return { usage, rest: unlessEmpty({ ...rest, ...odd }) };
}

/** latencyMs is the server's clock for the whole request. */
function latencyOf(value: JsonValue | undefined): { us: number | null; rest: JsonValue | undefined } {
  if (!isObject(value)) return { us: null, rest: value };
  const { latencyMs, ...rest } = value;
  const us = countOrNull(latencyMs);
  return {
    us: us === null ? null : us * 1000,
    rest: unlessEmpty({ ...rest, latencyMs: us === null ? latencyMs : undefined }),
  };
}
