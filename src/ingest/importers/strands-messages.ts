import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ParseStatus, ToolCallInit, ToolResultInit, UsageInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, countOrNull, objectAt, textAt } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';

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

const MESSAGE_KEYS = ['role', 'content', 'tracking_id', 'metadata'];
const BLOCK_KEYS = ['text', 'toolUse'];
const METADATA_KEYS = ['usage', 'metrics'];

export function assistantMessage(message: JsonObject, field: string, names: ToolUseNames): AssistantMessage {
  const { content, tracking_id, metadata } = message;
  const blocks = arrayAt(content, `${field}.content`);
  const toolCalls: ToolCallInit[] = [];
  let said: string | null = null;
  let plain = true;
  for (let i = 0; i < blocks.length; i++) {
    const block = objectAt(blocks[i], `${field}.content`);
    const { text, toolUse } = block;
    // Only a text and then calls can be put together again from the fields; anything else is kept as it stands.
    if (leftover(block, BLOCK_KEYS) || (text !== undefined && i > 0)) plain = false;
    if (typeof text === 'string' && !SDK_TEXT.test(text)) said = (said ?? '') + text;
    else if (text !== undefined) plain = false;
    if (isObject(toolUse)) {
      const call = toolCall(toolUse, `${field}.content[${i}].toolUse`, names);
      toolCalls.push(call.call);
      if (!call.plain || text !== undefined) plain = false;
    } else if (toolUse !== undefined) plain = false;
  }
  const about = isObject(metadata) ? metadata : {};
  const tokens = usageOf(about.usage);
  const time = latencyOf(about.metrics);
  const kept = { ...leftover(about, METADATA_KEYS), usage: tokens.rest, metrics: time.rest };
  return {
    callId: typeof tracking_id === 'string' ? tracking_id : null,
    rawText: said === null ? null : bytesOfText(said),
    toolCalls,
    usage: tokens.usage,
    serverUs: time.us,
    extra: {
      content: plain ? undefined : content,
      tracking_id: typeof tracking_id === 'string' ? undefined : tracking_id,
      metadata: isObject(metadata) ? unlessEmpty(kept) : metadata,
      message: leftover(message, MESSAGE_KEYS),
    },
  };
}

const TOOL_USE_KEYS = ['toolUseId', 'name', 'input', 'raw'];

function toolCall(use: JsonObject, field: string, names: ToolUseNames): { call: ToolCallInit; plain: boolean } {
  const { toolUseId, name, input, raw } = use;
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
    plain: toolName !== null && (raw === undefined || isRaw) && leftover(use, TOOL_USE_KEYS) === undefined,
  };
}

const TOOL_STATUS: ReadonlyMap<JsonValue | undefined, 'ok' | 'tool_error'> = new Map([
  ['success', 'ok'],
  ['error', 'tool_error'],
]);

const TOOL_RESULT_KEYS = ['toolUseId', 'status', 'content'];

/** A tool result, and the block itself where its fields do not say all of it. */
export function toolResult(
  block: JsonObject,
  field: string,
): { result: ToolResultInit; block: JsonObject | undefined } {
  const { toolUseId, status, content } = block;
  const known = TOOL_STATUS.get(status);
  const text = onlyText(content);
  const isWhole = known !== undefined && text !== null && leftover(block, TOOL_RESULT_KEYS) === undefined;
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

const USAGE_KEYS = ['inputTokens', 'outputTokens', 'cacheReadInputTokens'];

function usageOf(value: JsonValue | undefined): { usage: UsageInit | null; rest: JsonValue | undefined } {
  if (!isObject(value)) return { usage: null, rest: value };
  const usage = {
    prompt_tokens: countOrNull(value.inputTokens),
    completion_tokens: countOrNull(value.outputTokens),
    cached_tokens: countOrNull(value.cacheReadInputTokens),
    reasoning_tokens: null,
  };
  const all = usage.prompt_tokens !== null && usage.completion_tokens !== null && usage.cached_tokens !== null;
  // A count that is none (null, or text) stays as the source has it, with the others.
  return { usage, rest: all ? leftover(value, USAGE_KEYS) : value };
}

/** latencyMs is the server's clock for the whole request. */
function latencyOf(value: JsonValue | undefined): { us: number | null; rest: JsonValue | undefined } {
  if (!isObject(value)) return { us: null, rest: value };
  const ms = countOrNull(value.latencyMs);
  return ms === null ? { us: null, rest: value } : { us: ms * 1000, rest: leftover(value, ['latencyMs']) };
}
