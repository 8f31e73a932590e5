import type { ModelCall, ToolCall, WeightSpan } from '../../../../schemas/generated/step-event.ts';
import type { RowBinaryReader } from '../../../clickhouse/row-binary-reader.ts';
import { logprobsMode, parseStatus } from './enums.ts';
import type { Section } from './section.ts';
import { zeroWords } from './zeros.ts';

export type CallColumns = Omit<ModelCall, 'call_id' | 'raw_text' | 'sampling' | 'usage' | 'aux_ref' | 'error'>;

/** Token ids and logprobs, or how many there are; null: the source gave none. */
const packed = (name: string, withTokens: boolean): string[] =>
  withTokens ? [`has_${name}`, name] : [`if(has_${name}, toUInt32(length(${name})), NULL)`];

const readPacked = (reader: RowBinaryReader): Buffer | null => {
  const has = reader.bool();
  const words = reader.packed(4);
  return has ? words : null;
};
const readCount = (reader: RowBinaryReader): Buffer | null => (reader.isNull() ? null : zeroWords(reader.uint32()));

const readString = (reader: RowBinaryReader): string => reader.string();
const readInt32 = (reader: RowBinaryReader): number => reader.int32();
const readNullableString = (reader: RowBinaryReader): string | null => reader.nullableString();
const readNullableInt32 = (reader: RowBinaryReader): number | null => reader.nullableInt32();
/** A copy: it may be handed on after the chunk is gone, and is small. */
const readNullableBlob = (reader: RowBinaryReader): Buffer | null =>
  reader.isNull() ? null : Buffer.from(reader.blob());

const LIGHT_TOOL_CALLS = ['call_id', 'parse_status'];
const TOOL_CALLS = [
  ...LIGHT_TOOL_CALLS,
  ...['name', 'arguments_raw', 'arguments_parsed', 'char_start', 'char_end', 'parser'],
];

/** Of a model call what has columns. Without tokens what was sampled is left out, tool calls but for their ids and what the parser made of them, and who answered. */
export function callSection(withTokens: boolean): Section<CallColumns> {
  const ids = withTokens ? readPacked : readCount;
  const toolCalls = withTokens ? TOOL_CALLS : LIGHT_TOOL_CALLS;
  return {
    select: [
      ...[...(withTokens ? ['model', 'replica'] : []), 'prompt_prefix_len'],
      ...packed('prompt_delta_ids', withTokens),
      ...packed('completion_ids', withTokens),
      ...packed('completion_logprobs', withTokens),
      ...['logprobs_mode', '`weight_spans.start`', '`weight_spans.version`', 'finish_reason'],
      ...['queue_us', 'prefill_us', 'decode_us', 'server_e2e_us'],
      ...toolCalls.map((name) => `\`tool_calls.${name}\``),
    ],
    read: (reader) => ({
      model: withTokens ? reader.nullableString() : null,
      replica: withTokens ? reader.nullableString() : null,
      prompt_prefix_len: reader.nullableInt32() ?? 0,
      prompt_delta_ids: ids(reader),
      completion_ids: ids(reader),
      completion_logprobs: ids(reader),
      logprobs_mode: logprobsMode(reader.string()),
      weight_spans: readSpans(reader),
      finish_reason: reader.nullableString(),
      queue_us: reader.nullableInt64(),
      prefill_us: reader.nullableInt64(),
      decode_us: reader.nullableInt64(),
      server_e2e_us: reader.nullableInt64(),
      tool_calls: readToolCalls(reader, withTokens),
    }),
  };
}

function readSpans(reader: RowBinaryReader): WeightSpan[] {
  const starts = reader.array(readInt32);
  const versions = reader.array(readString);
  return starts.map((start, index) => ({ start, version: versions[index] ?? '' }));
}

function readToolCalls(reader: RowBinaryReader, withTokens: boolean): ToolCall[] {
  const ids = reader.array(readString);
  if (ids.length === 0) {
    reader.skip((withTokens ? TOOL_CALLS : LIGHT_TOOL_CALLS).length - 1);
    return [];
  }
  const statuses = reader.array(readString);
  const names = withTokens ? reader.array(readNullableString) : [];
  const raw = withTokens ? reader.array(readNullableBlob) : [];
  const parsed = withTokens ? reader.array(readNullableString) : [];
  const starts = withTokens ? reader.array(readNullableInt32) : [];
  const ends = withTokens ? reader.array(readNullableInt32) : [];
  const parsers = withTokens ? reader.array(readNullableString) : [];
  return ids.map((call_id, index) => ({
    call_id,
    name: names[index] ?? null,
    arguments_raw: raw[index] ?? null,
    arguments_parsed: parsed[index] ?? null,
    char_start: starts[index] ?? null,
    char_end: ends[index] ?? null,
    parse_status: parseStatus(statuses[index] ?? ''),
    parser: parsers[index] ?? null,
  }));
}
