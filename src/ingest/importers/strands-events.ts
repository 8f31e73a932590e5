import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ModelCallInit, ParseStatus } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt, textAt } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';
import { references } from './references.ts';
import { type CallTokens, cutRollout } from './strands-calls.ts';
import { assistantMessage, toolResult } from './strands-messages.ts';
import type { StrandsRecord } from './strands-record.ts';
import { strandsVerdict } from './strands-verdict.ts';

const NO_TOKENS: ModelCallInit = { call_id: '' };

/** All events of one line, in order: start, messages, calls and tool results as the messages give them, end, verdict. */
export function addStrandsEvents(
  out: AttemptEvents,
  record: StrandsRecord,
  location: string,
  odd: JsonObject | undefined,
): void {
  const cut = record.tokens ? cutRollout(record.tokens) : null;
  const calls = cut?.calls ?? [];
  const images = record.tokens?.value.image_data;
  const experts = record.tokens?.value.routed_experts;
  const perCall = Array.isArray(experts) && experts.length === calls.length ? experts : null;
  const messages = record.messages.map((message, i) => objectAt(message, `${record.messagesPath}[${i}]`));
  const answers = messages.filter((message) => message.role === 'assistant').length;

  out.add(
    'start',
    { start: { prompt: promptOf(record.taskMessage), task_metadata_json: jsonText(record.taskMetadata) } },
    {
      ...odd,
      task_message: typeof record.taskMessage === 'string' ? undefined : (record.taskMessage ?? undefined),
      segments_inferred: cut?.segmentsInferred || undefined,
      // Which message belongs to which tokens is then a guess from the front.
      calls_paired:
        calls.length > 0 && answers !== calls.length ? { messages: answers, segments: calls.length } : undefined,
      tokens: cut ? unlessEmpty(cut.rest) : undefined,
      image_data: references(images, location, 'image_data'),
      routed_experts:
        perCall === null ? references(experts ?? record.tokens?.routedExperts, location, 'routed_experts') : undefined,
    },
  );
  for (const [i, message] of record.history.entries())
    addMessage(out, message, `conversation_history[${i}]`, { history: true });

  const names = { parseStatus: parseStatuses(record.metrics) };
  /** Calls made so far, and the last one that used a tool call id: ids repeat between turns. */
  let made = 0;
  const askedBy = new Map<string, { turn: number; name: string | null }>();

  const addCall = (fields: Partial<ModelCallInit>, tokens: CallTokens | undefined, extra: JsonExtra): void => {
    const turn = made++;
    const [aux] = perCall ? (references([perCall[turn] ?? null], location, 'routed_experts', turn) ?? []) : [];
    out.add(
      'model_call',
      {
        model_call: {
          ...NO_TOKENS,
          call_id: `call-${turn}`,
          ...tokens?.tokens,
          ...fields,
          aux_ref: aux ? { name: 'routed_experts', uri: aux.uri, sha256: aux.sha256, dtype: 'int32' } : null,
        },
      },
      {
        ...extra,
        missing_logprobs: tokens?.missingLogprobs.length ? [...tokens.missingLogprobs] : undefined,
        trailing_input: tokens?.trailing || undefined,
      },
    );
    for (const call of fields.tool_calls ?? []) askedBy.set(call.call_id, { turn, name: call.name ?? null });
  };

  for (const [i, message] of messages.entries()) {
    const field = `${record.messagesPath}[${i}]`;
    if (message.role === 'assistant') {
      const said = assistantMessage(message, field, names);
      addCall(
        {
          ...(said.callId === null ? {} : { call_id: said.callId }),
          raw_text: said.rawText,
          usage: said.usage,
          server_e2e_us: said.serverUs,
          tool_calls: said.toolCalls,
        },
        calls[made],
        said.extra,
      );
    } else addOther(out, message, field, askedBy);
  }
  while (made < calls.length) addCall({}, calls[made], {});

  addEnd(out, record);
}

type JsonExtra = Readonly<Record<string, JsonValue | undefined>>;

/** A user message: its tool results one by one, then what else it holds. */
function addOther(
  out: AttemptEvents,
  message: JsonObject,
  field: string,
  askedBy: ReadonlyMap<string, { turn: number; name: string | null }>,
): void {
  const { content, ...rest } = message;
  const blocks = Array.isArray(content) ? content : [];
  const results = blocks.filter((block) => isObject(block) && isObject(block.toolResult));
  if (results.length === 0) {
    addMessage(out, message, field, {});
    return;
  }
  for (const [i, block] of blocks.entries()) {
    if (!isObject(block) || !isObject(block.toolResult)) continue;
    const { toolResult: value, ...beside } = block;
    const { result, block: whole } = toolResult(value, `${field}.content[${i}].toolResult`);
    const asked = askedBy.get(result.call_id);
    out.add(
      'tool_result',
      { tool_result: { ...result, turn: asked?.turn ?? null, name: asked?.name ?? null } },
      {
        tool_result: whole,
        block: unlessEmpty(beside),
        message: i === blocks.indexOf(results[0] ?? null) ? rest : undefined,
      },
    );
  }
  const others = blocks.filter((block) => !results.includes(block));
  if (others.length > 0) addMessage(out, { role: message.role ?? 'user', content: others }, field, {});
}

function addMessage(out: AttemptEvents, value: JsonValue, field: string, extra: JsonExtra): void {
  const { role, content, ...rest } = objectAt(value, field);
  out.add(
    'message',
    { message: { role: textAt(role, `${field}.role`), parts_json: jsonText(content ?? null) } },
    { ...extra, ...rest },
  );
}

function addEnd(out: AttemptEvents, record: StrandsRecord): void {
  const reasons = [{ raw: record.reason, system: 'strands-env' }];
  if (record.aborted) reasons.push({ raw: 'aborted', system: 'strands-env' });
  out.add(
    'end',
    { end: { reasons } },
    { metrics: record.metrics ?? undefined, aborted: record.aborted, ...record.rest },
  );
  out.addAfterEnd('verdict', { verdict: strandsVerdict(record.reward, record.rewardPath, record.aborted) });
  const seconds = record.metrics?.reward_latency_s;
  if (typeof seconds === 'number' && seconds >= 0 && seconds < 1e9) {
    out.addAfterEnd('phase', { phase: { phase: 'verify' } }, undefined, Math.round(seconds * 1e6));
  }
}

function promptOf(message: JsonValue): Buffer | null {
  if (typeof message === 'string') return bytesOfText(message);
  if (!isObject(message) || !Array.isArray(message.content)) return null;
  const texts = message.content.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : ''));
  return bytesOfText(texts.join(''));
}

/** The counts of a tool say how each of its calls was parsed only where they say the same of all. */
function parseStatuses(metrics: JsonObject | null): Map<string, ParseStatus> {
  const statuses = new Map<string, ParseStatus>();
  const tools = metrics?.per_tool_metrics;
  if (!isObject(tools)) return statuses;
  for (const [name, counts] of Object.entries(tools)) {
    if (!isObject(counts)) continue;
    if (counts.is_known === false) statuses.set(name, 'unknown_tool');
    else if (counts.parse_errors === 0) statuses.set(name, 'ok');
    else if (counts.parse_errors === counts.calls) statuses.set(name, 'malformed');
  }
  return statuses;
}
