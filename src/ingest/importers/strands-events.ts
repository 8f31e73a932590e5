import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ParseStatus } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt, textAt } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import type { CallTokens } from './flat-tokens.ts';
import { references } from './references.ts';
import { cutRollout } from './strands-calls.ts';
import { type AssistantMessage, assistantMessage, toolResult } from './strands-messages.ts';
import type { StrandsRecord } from './strands-record.ts';
import { strandsVerdict } from './strands-verdict.ts';

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

  const addCall = (said: AssistantMessage | null, tokens: CallTokens | undefined): void => {
    const turn = made++;
    const [aux] = perCall ? (references([perCall[turn] ?? null], location, 'routed_experts', turn) ?? []) : [];
    const flat = tokens?.tokens;
    out.add(
      'model_call',
      {
        model_call: {
          call_id: said?.callId ?? `call-${turn}`,
          prompt_prefix_len: flat?.prompt_prefix_len ?? 0,
          prompt_delta_ids: flat?.prompt_delta_ids ?? null,
          completion_ids: flat?.completion_ids ?? null,
          completion_logprobs: flat?.completion_logprobs ?? null,
          raw_text: said?.rawText ?? null,
          usage: said?.usage ?? null,
          server_e2e_us: said?.serverUs ?? null,
          tool_calls: said?.toolCalls ?? [],
          aux_ref: aux ? { name: 'routed_experts', uri: aux.uri, sha256: aux.sha256, dtype: 'int32' } : null,
        },
      },
      {
        ...said?.extra,
        missing_logprobs: tokens?.missingLogprobs.length ? [...tokens.missingLogprobs] : undefined,
        trailing_input: tokens?.trailing || undefined,
      },
    );
    for (const call of said?.toolCalls ?? []) askedBy.set(call.call_id, { turn, name: call.name ?? null });
  };

  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    const field = `${record.messagesPath}[${i}]`;
    if (message?.role === 'assistant') addCall(assistantMessage(message, field, names), calls[made]);
    else if (message) addOther(out, message, field, askedBy);
  }
  while (made < calls.length) addCall(null, calls[made]);

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
  const { content } = message;
  const blocks = Array.isArray(content) ? content : [];
  const others: JsonValue[] = [];
  let results = 0;
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] ?? null;
    if (!isObject(block) || !isObject(block.toolResult)) {
      others.push(block);
      continue;
    }
    const { result, block: whole } = toolResult(block.toolResult, `${field}.content[${i}].toolResult`);
    const asked = askedBy.get(result.call_id);
    result.turn = asked?.turn ?? null;
    result.name = asked?.name ?? null;
    // What the message says besides is told once, with its first result.
    // A message of tool results is the user's: another role is told.
    const known = message.role === 'user' ? RESULT_MESSAGE_KEYS : ['content'];
    const about = results++ === 0 ? leftover(message, known) : undefined;
    out.add(
      'tool_result',
      { tool_result: result },
      { tool_result: whole, block: leftover(block, ['toolResult']), message: about },
    );
  }
  if (results === 0) addMessage(out, message, field, {});
  else if (others.length > 0) addMessage(out, { role: message.role ?? 'user', content: others }, field, {});
}

const RESULT_MESSAGE_KEYS = ['role', 'content'];

function addMessage(out: AttemptEvents, value: JsonValue, field: string, extra: JsonExtra): void {
  const message = objectAt(value, field);
  const role = textAt(message.role, `${field}.role`);
  out.add(
    'message',
    { message: { role, parts_json: jsonText(message.content ?? null) } },
    { ...extra, ...leftover(message, RESULT_MESSAGE_KEYS) },
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
  // Before the verdict: with that the attempt may be decided.
  const seconds = record.metrics?.reward_latency_s;
  if (typeof seconds === 'number' && seconds >= 0 && seconds < 1e9) {
    out.addAfterEnd('phase', { phase: { phase: 'verify' } }, undefined, {
      durationUs: Math.round(seconds * 1e6),
    });
  }
  out.addAfterEnd('verdict', { verdict: strandsVerdict(record.reward, record.rewardPath, record.aborted) });
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
