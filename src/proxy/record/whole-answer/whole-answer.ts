import { parseExactBytes } from '../../../ingest/exact-json.ts';
import { isObject, type JsonObject } from '../../../ingest/exact-number.ts';
import type { RecordedCall } from '../../journal/read-call.ts';
import { decodedBytes } from './decoded-bytes.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { wholeOpenai } from './whole-openai.ts';
import { wholeSglang } from './whole-sglang.ts';

/** What an engine answered, as if it had answered at once. */
export interface WholeAnswer {
  /** null: nothing that is one. */
  readonly answer: JsonObject | null;
  /** null: it was not streamed. */
  readonly stream: StreamFacts | null;
  /** Why there is none, as a code; null: there is one, or the upstream did not begin to answer. */
  readonly unreadable: Unreadable | null;
}

export interface StreamFacts {
  readonly chunks: number;
  readonly isDone: boolean;
  /** What stood behind the last event that can be read; null: nothing. */
  readonly torn: string | null;
}

export interface Unreadable {
  readonly why: 'unreadable_answer' | 'answer_too_large' | 'several_answers';
  readonly detail: string;
  /** The body, as far as it is kept. */
  readonly kept: string;
}

export interface AnswerLimits {
  /** Of a body once unpacked. */
  readonly maxBytes: number;
  /** Of a body that cannot be read: so much of it is kept. */
  readonly keptBytes: number;
}

export function wholeAnswer({ answer, pieces }: RecordedCall, limits: AnswerLimits): WholeAnswer {
  if (answer === null || pieces.length === 0) return { answer: null, stream: null, unreadable: null };
  const body = Buffer.concat(pieces.map(({ bytes }) => bytes));
  const decoded = decodedBytes(body, answer.headers['content-encoding'], limits.maxBytes);
  if ('why' in decoded) {
    const why = decoded.why === 'too_large' ? 'answer_too_large' : 'unreadable_answer';
    return without(why, `${decoded.why}: ${decoded.detail}`, body, limits, null);
  }
  const isStream =
    /event-stream/i.test(answer.headers['content-type'] ?? '') || /^\s*data:/.test(startOf(decoded.bytes));
  return isStream ? streamed(decoded.bytes, limits) : atOnce(decoded.bytes, limits);
}

function atOnce(body: Buffer, limits: AnswerLimits): WholeAnswer {
  const parsed = parseExactBytes(body);
  if (parsed?.kind === 'json' && isObject(parsed.value))
    return { answer: parsed.value, stream: null, unreadable: null };
  if (parsed?.kind === 'json' && Array.isArray(parsed.value))
    return without('several_answers', `an array of ${parsed.value.length}`, body, limits, null);
  const why = parsed === null ? 'not UTF-8' : parsed.kind === 'malformed' ? parsed.message : 'no JSON object';
  return without('unreadable_answer', why, body, limits, null);
}

function streamed(body: Buffer, limits: AnswerLimits): WholeAnswer {
  const { events, isDone, torn } = serverSentEvents(body);
  const chunks: JsonObject[] = [];
  let hasOdd = false;
  for (const event of events) {
    const chunk = chunkOf(event);
    if (chunk === null) hasOdd = true;
    else chunks.push(chunk);
  }
  // Its bytes were all there, only the blank line was not: the client had them.
  const lastly = torn === null ? null : chunkOf(torn);
  if (lastly !== null) chunks.push(lastly);
  const left = torn === null || lastly !== null ? null : shownText(torn, limits);
  const stream = { chunks: chunks.length, isDone, torn: left };
  if (hasOdd) return without('unreadable_answer', 'an event that is no JSON object', body, limits, stream);
  if (chunks.length === 0) {
    if (left !== null || body.length === 0) return { answer: null, stream, unreadable: null };
    return without('unreadable_answer', 'a stream without an event', body, limits, stream);
  }
  return joined(chunks, body, stream, limits);
}

function joined(chunks: readonly JsonObject[], body: Buffer, stream: StreamFacts, limits: AnswerLimits): WholeAnswer {
  const failed = chunks.find(({ error }) => error !== undefined && error !== null);
  const isOpenai = chunks.some(({ choices }) => Array.isArray(choices));
  if (!isOpenai) {
    // Answers of several samplings look like chunks, but each has an id of its own.
    const ids = new Set(chunks.map(({ meta_info }) => (isObject(meta_info) ? (meta_info.id ?? null) : null)));
    ids.delete(null);
    if (ids.size > 1) return without('several_answers', `${ids.size} answers in one stream`, body, limits, stream);
  }
  const told = chunks.filter((chunk) => chunk.meta_info !== undefined || chunk.output_ids !== undefined);
  const whole = isOpenai ? wholeOpenai(chunks) : told.length > 0 ? wholeSglang(told) : { ...chunks.at(-1) };
  const answer = failed?.error === undefined ? whole : { ...whole, error: failed.error };
  return { answer, stream, unreadable: null };
}

function chunkOf(event: Buffer): JsonObject | null {
  const parsed = parseExactBytes(event);
  return parsed?.kind === 'json' && isObject(parsed.value) ? parsed.value : null;
}

function without(
  why: Unreadable['why'],
  detail: string,
  body: Buffer,
  limits: AnswerLimits,
  stream: StreamFacts | null,
): WholeAnswer {
  return { answer: null, stream, unreadable: { why, detail, kept: shownText(body, limits) } };
}

function shownText(body: Buffer, { keptBytes }: AnswerLimits): string {
  return body.subarray(0, keptBytes).toString('utf8');
}

function startOf(body: Buffer): string {
  return body.subarray(0, 64).toString('latin1');
}
