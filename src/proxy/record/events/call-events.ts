import type { ModelCallInit } from '../../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../../../ingest/exact-number.ts';
import type { AttemptEntry, AttemptState, SegmentEntry, SegmentState } from '../attempts/attempt-state.ts';
import { conversationKey } from '../attempts/conversation-keys.ts';
import { wordsOf } from '../call/conversation.ts';
import type { Exchange } from '../call/exchange.ts';
import { replyHash } from '../call/reply.ts';
import { type ChosenSegment, chooseSegment } from './choose-segment.ts';
import { callBody, type EventPlace, type Extra, eventLine, failureOf } from './event-line.ts';
import { toldMessages } from './told-messages.ts';

export interface CallEvents {
  readonly lines: string;
  readonly entry: AttemptEntry;
}

export interface CallCircumstances {
  readonly producerId: string;
  /** Tries of the same request before it, that gave the client no answer. */
  readonly tries: readonly Exchange[];
  /** The attempt had ended. */
  readonly isLate: boolean;
}

/** What one call adds to its attempt: what its request tells, and the call itself. Changes nothing. */
export function callEvents(state: AttemptState, exchange: Exchange, about: CallCircumstances): CallEvents {
  const { identity } = state.head;
  const prompt = promptOf(exchange);
  const segment = chooseSegment(state, exchange.conversation, prompt);
  const told = toldMessages(exchange.conversation, segment, state.calls);
  const lines: string[] = [];
  const place = (): EventPlace => ({
    ...{ identity, producerId: about.producerId, segmentId: segment.id },
    // The start of an attempt is the first of the call that it begins with.
    eventId: `${exchange.head.id}/${lines.length + 1}`,
    seq: state.nextSeq + lines.length,
    ...{ startedAtUs: exchange.startedAtUs, endedAtUs: exchange.startedAtUs, durationUs: null },
  });
  for (const { kind, body, extra } of told.messages) lines.push(eventLine(kind, body, place(), extra));
  const tokens = tokensOf(exchange, segment.known, prompt);
  const when = { endedAtUs: exchange.endedAtUs, durationUs: exchange.durationUs };
  const extra = callExtra(exchange, about, tokens, {
    sent_back: told.sentBack,
    retry_of: retriedCall(state, exchange),
  });
  const body = callBody({
    ...modelCall(exchange, tokens),
    call_id: exchange.answer.engine.callId ?? `call-${state.calls}`,
  });
  lines.push(eventLine('model_call', body, { ...place(), ...when }, extra));
  return { lines: lines.join(''), entry: entryOf(state, exchange, segment, tokens, lines.length) };
}

/** As the engine read it, or as it was sent. */
export function promptOf({ answer, conversation }: Exchange): Uint32Array | null {
  const { prompt } = answer.engine;
  if (prompt !== null) return wordsOf(prompt);
  return conversation.kind === 'ids' ? conversation.ids : null;
}

interface CallTokens {
  readonly prefix: number;
  readonly delta: Buffer;
  /** null: the call failed before it sampled any. */
  readonly completion: Buffer | null;
}

/** null: prompt or completion are not known as ids, and half of the tokens of a call prove nothing. */
function tokensOf(exchange: Exchange, known: SegmentState | null, prompt: Uint32Array | null): CallTokens | null {
  const completion = exchange.answer.engine.call.completion_ids ?? null;
  if (prompt === null || (completion === null && exchange.answer.error === null)) return null;
  const prefix = known?.held.commonPrefix(prompt) ?? 0;
  const rest = prompt.subarray(prefix);
  return { prefix, delta: Buffer.from(rest.buffer, rest.byteOffset, rest.byteLength), completion };
}

function modelCall(exchange: Exchange, tokens: CallTokens | null): Omit<ModelCallInit, 'call_id'> {
  const { engine, error } = exchange.answer;
  const { call } = engine;
  const hasTokens = tokens !== null && tokens.completion !== null;
  const spans = call.weight_spans ?? [];
  return {
    ...call,
    replica: exchange.head.upstream,
    prompt_prefix_len: tokens?.prefix ?? 0,
    prompt_delta_ids: tokens?.delta ?? null,
    completion_ids: tokens?.completion ?? null,
    completion_logprobs: hasTokens ? (call.completion_logprobs ?? null) : null,
    weight_spans: hasTokens || spans.length <= 1 ? spans : [],
    error,
  };
}

function callExtra(exchange: Exchange, about: CallCircumstances, tokens: CallTokens | null, more: Extra): Extra {
  const { head, answer, stream, status, firstByteUs } = exchange;
  const { completion_ids: completion, weight_spans: spans } = answer.engine.call;
  const ids = completion ?? null;
  return {
    ...answer.engine.extra,
    ...more,
    ids_without_prompt: tokens === null && ids !== null ? [...wordsOf(ids)] : undefined,
    weight_spans:
      tokens === null && spans !== undefined && spans.length > 1 ? spans.map((span) => ({ ...span })) : undefined,
    attempts: about.tries.length === 0 ? undefined : about.tries.map(triedOf),
    not_auditable: answer.notAuditable ?? undefined,
    late: about.isLate ? true : undefined,
    inferred: head.named.rollout === null ? true : undefined,
    stream:
      stream === null
        ? undefined
        : { chunks: stream.chunks, done: stream.isDone, ...(stream.torn === null ? {} : { torn: stream.torn }) },
    proxy: {
      ...{ call: head.id, path: head.path, status, first_byte_us: firstByteUs },
      ...{ engine: head.engine, asked: [...head.asked], headers: { ...head.headers } },
    },
  };
}

/** A try that gave the client no whole answer, as a fact of the call that did. */
function triedOf({ head, answer, status, startedAtUs, durationUs }: Exchange): JsonObject {
  const { call, callId } = answer.engine;
  return {
    ...{ call: head.id, request_id: callId, started_at: startedAtUs, duration_us: durationUs, status },
    error: failureOf(answer.error),
    finish_reason: call.finish_reason ?? null,
    completion_ids: call.completion_ids ? [...wordsOf(call.completion_ids)] : null,
    text: call.raw_text ? call.raw_text.toString('utf8') : null,
  };
}

/** A client that asks again after a whole answer did not have it: both were sampled, and both are told. */
function retriedCall(state: AttemptState, { head, body }: Exchange): JsonValue | undefined {
  const isRetry = Number(head.headers['x-stainless-retry-count'] ?? 0) > 0;
  return isRetry ? state.bodies.get(body) : undefined;
}

function entryOf(
  state: AttemptState,
  exchange: Exchange,
  segment: ChosenSegment,
  tokens: CallTokens | null,
  events: number,
): AttemptEntry {
  const { conversation, answer } = exchange;
  // Also of a call that failed in its middle: the client may go on with what it had of the answer.
  const reply = replyOf(exchange);
  const hashes = conversation.kind === 'messages' ? conversation.hashes : [];
  const grown = tokens === null || tokens.completion === null ? null : tokens;
  const changed: SegmentEntry = {
    id: segment.id,
    tokens:
      grown === null
        ? null
        : {
            prefix: grown.prefix,
            delta: grown.delta.toString('base64'),
            completion: grown.completion?.toString('base64') ?? '',
          },
    kept: segment.commonMessages,
    added: hashes.slice(segment.commonMessages),
    lastCall: answer.error === null || reply !== null ? state.calls : -1,
    reply,
  };
  return {
    ...{ atUs: exchange.endedAtUs, nextSeq: state.nextSeq + events, calls: state.calls + 1 },
    body: exchange.body,
    segment: changed,
    found: conversationKey(exchange),
  };
}

function replyOf({ answer }: Exchange): string | null {
  const { raw_text } = answer.engine.call;
  const reply = answer.reply ?? (raw_text ? { content: raw_text.toString('utf8') } : undefined);
  return replyHash(reply);
}
