import { hash } from 'node:crypto';
import { parseExactBytes } from '../../../ingest/exact-json.ts';
import { isObject, type JsonObject } from '../../../ingest/exact-number.ts';
import type { CallHead } from '../../journal/call-head.ts';
import type { RecordedCall } from '../../journal/read-call.ts';
import { type AnswerLimits, type StreamFacts, wholeAnswer } from '../whole-answer/whole-answer.ts';
import { type CallAnswer, callAnswer } from './call-answer.ts';
import { type Conversation, conversationOf } from './conversation.ts';
import { routeOf } from './route.ts';

/** One request and what came of it. */
export interface Exchange {
  /** Its file. */
  readonly path: string;
  readonly head: CallHead;
  /** null: it is no JSON object. */
  readonly request: JsonObject | null;
  /** Tells a request that is made again. */
  readonly body: string;
  readonly conversation: Conversation;
  readonly answer: CallAnswer;
  readonly stream: StreamFacts | null;
  readonly status: number | null;
  /** Of the answer's first bytes, from the beginning of the call; null: there were none. */
  readonly firstByteUs: number | null;
  /** By the proxy's monotonic clock; null: it was killed. */
  readonly durationUs: number | null;
  readonly startedAtUs: number;
  readonly endedAtUs: number;
}

export function exchangeOf(path: string, recorded: RecordedCall, limits: AnswerLimits): Exchange {
  const { head, answer, pieces, end } = recorded;
  const parsed = parseExactBytes(recorded.request);
  const request = parsed?.kind === 'json' && isObject(parsed.value) ? parsed.value : null;
  const whole = wholeAnswer(recorded, limits);
  const lastUs = end?.sinceUs ?? pieces.at(-1)?.sinceUs ?? answer?.sinceUs ?? 0;
  return {
    ...{ path, head, request },
    body: hash('sha256', Buffer.concat([Buffer.from(`${head.path}\n`), recorded.request])).slice(0, 32),
    conversation: conversationOf(request),
    answer: callAnswer(recorded, routeOf(head.path), request, whole, limits.keptBytes),
    stream: whole.stream,
    status: answer?.status ?? null,
    firstByteUs: pieces[0]?.sinceUs ?? null,
    durationUs: end?.sinceUs ?? null,
    startedAtUs: head.startedAtUs,
    endedAtUs: head.startedAtUs + lastUs,
  };
}
