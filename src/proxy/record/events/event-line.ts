import { arrayText } from '../../../../clients/typescript/token-values.ts';
import { textOfBytes } from '../../../../processors/model/text-bytes.ts';
import type { EventKind, FailureInit, ModelCallInit } from '../../../../schemas/generated/step-event.ts';
import type { AttemptIdentity } from '../../../ingest/attempt-events.ts';
import type { JsonValue } from '../../../ingest/exact-number.ts';
import { extraJson } from '../../../ingest/json-text.ts';
import { wordsOf } from '../call/conversation.ts';

export interface EventPlace {
  readonly identity: AttemptIdentity;
  readonly producerId: string;
  readonly eventId: string;
  /** null: ordered by arrival. */
  readonly seq: number | null;
  readonly segmentId?: string;
  readonly startedAtUs: number | null;
  readonly endedAtUs: number | null;
  readonly durationUs: number | null;
}

export type Extra = Readonly<Record<string, JsonValue | undefined>>;

const SOURCE = { format: 'rollstream-proxy', version: '1' };

/** A step event as it travels: one line of JSON, packed arrays unpacked. `body`: JSON text of the record that the kind names. */
export function eventLine(kind: EventKind, body: string, place: EventPlace, extra: Extra | null): string {
  const { identity, producerId, eventId, seq, segmentId, startedAtUs, endedAtUs, durationUs } = place;
  const facts = JSON.stringify({
    ...identity,
    ...{ segment_id: segmentId, seq, event_id: eventId, producer_id: producerId, kind },
    ...{ started_at: startedAtUs, ended_at: endedAtUs, duration_us: durationUs, source: SOURCE },
    extra_json: extra === null ? null : extraJson(extra),
  });
  return `${facts.slice(0, -1)},"${kind}":${body}}\n`;
}

/** JSON text of a model call. */
export function callBody(call: ModelCallInit): string {
  const { prompt_delta_ids, completion_ids, completion_logprobs, raw_text, tool_calls, ...plain } = call;
  const calls = (tool_calls ?? []).map((one) => ({ ...one, arguments_raw: textOrNull(one.arguments_raw) }));
  const body = JSON.stringify({ ...plain, raw_text: textOrNull(raw_text), tool_calls: calls });
  const arrays = [
    idsText('prompt_delta_ids', prompt_delta_ids),
    idsText('completion_ids', completion_ids),
    floatsText('completion_logprobs', completion_logprobs),
  ];
  return `${body.slice(0, -1)}${arrays.join('')}}`;
}

export function failureOf(error: FailureInit | null): JsonValue {
  return error === null ? null : { type: error.type ?? null, message: error.message ?? null };
}

function idsText(name: string, bytes: Buffer | null | undefined): string {
  return bytes === null || bytes === undefined ? '' : `,"${name}":${arrayText(wordsOf(bytes))}`;
}

function floatsText(name: string, bytes: Buffer | null | undefined): string {
  if (bytes === null || bytes === undefined) return '';
  const words = wordsOf(bytes);
  return `,"${name}":${arrayText(new Float32Array(words.buffer, words.byteOffset, words.length))}`;
}

function textOrNull(bytes: Buffer | null | undefined): string | null {
  return bytes === null || bytes === undefined ? null : textOfBytes(bytes);
}
