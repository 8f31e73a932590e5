import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { RawReasonInit } from '../../../schemas/generated/step-event.ts';
import { type AttemptEvents, createAttemptEvents, type EventPlace } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import type { ImportContext } from '../importer.ts';
import { asText, isSameJson, joined, jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { isModelCall, otelCall, unpacked } from './otlp-calls.ts';
import { createOtelHistory } from './otlp-history.ts';
import { isAgent, type OtelRollout, type PlacedSpan } from './otlp-rollouts.ts';
import type { OtelEvent, OtelSpan } from './otlp-spans.ts';
import { type AskedTool, isTool, otelToolResult } from './otlp-tools.ts';
import { CONVERSATION, type OtelUnit } from './otlp-units.ts';
import { isEvaluation, otelVerdict } from './otlp-verdicts.ts';

export const FORMAT = 'otlp';
const SYSTEM = 'otel';

/** All events of one rollout. */
export function otelEvents(
  rollout: OtelRollout,
  unit: OtelUnit,
  context: ImportContext,
  sha256: string,
): AttemptEvents {
  const { id, spans } = rollout;
  const resource = spans[0]?.span.resource ?? {};
  const identity = attemptIdentity(context, { rolloutId: id, envName: serviceOf(resource) ?? FORMAT });
  const out = createAttemptEvents(identity, { format: FORMAT, location: unit.location }, sha256);
  addStart(out, rollout, unit, resource);
  const turns = addSpans(out, rollout, resource);
  addEnd(out, rollout, unit, turns);
  return out;
}

function serviceOf(resource: JsonObject): string | null {
  const name = resource['service.name'];
  return typeof name === 'string' && name !== '' && !name.startsWith('unknown_service') ? name : null;
}

function addStart(out: AttemptEvents, { id, spans }: OtelRollout, unit: OtelUnit, resource: JsonObject): void {
  const traces = new Set(spans.map(({ span }) => span.traceId));
  const tools = spans
    .map(({ span }) => span.attributes['gen_ai.tool.definitions'])
    .find((value) => value !== undefined);
  const list = unpacked(tools);
  out.add(
    'start',
    { start: { tools_json: Array.isArray(list) ? jsonText(list) : null } },
    {
      resource: unlessEmpty(resource),
      traces: traces.size === 1 && traces.has(id) ? undefined : [...traces],
      repeated_spans: unit.repeats > 0 ? unit.repeats : undefined,
      beside: unit.beside.length > 0 ? [...unit.beside] : undefined,
    },
    { startedAtUs: spans[0]?.span.start.us ?? null },
  );
}

interface Turns {
  readonly bySpan: ReadonlyMap<string, number>;
  readonly byResponse: ReadonlyMap<string, number>;
  /** What the model said last outside of its agents' agents. */
  readonly finalText: string | null;
}

function addSpans(out: AttemptEvents, { spans }: OtelRollout, resource: JsonObject): Turns {
  const history = createOtelHistory(out);
  const bySpan = new Map<string, number>();
  const byResponse = new Map<string, number>();
  const asked: AskedTool[] = [];
  let finalText: string | null = null;
  for (const placed of spans) {
    const { span, segmentId } = placed;
    const place = placeOf(placed);
    const about = aboutSpan(placed, resource);
    if (isModelCall(span)) {
      const turn = bySpan.size;
      const call = otelCall(span, turn);
      bySpan.set(`${span.traceId}/${span.spanId}`, turn);
      if (call.callId !== null) byResponse.set(call.callId, turn);
      const rest = joined(call.rest, history(span.attributes, place));
      const error = span.attributes['error.type'];
      const isError = error !== undefined || span.status === 'error';
      out.add(
        'model_call',
        {
          model_call: {
            call_id: call.callId ?? span.spanId ?? '',
            model: call.model,
            finish_reason: call.finishReason,
            usage: call.usage,
            sampling: call.sampling,
            tool_calls: call.toolCalls,
            error: isError ? { type: typeof error === 'string' ? error : null, message: span.statusMessage } : null,
          },
        },
        joined({ attributes: unlessEmpty(rest) }, about),
        place,
      );
      for (const { call_id, name } of call.toolCalls)
        asked.push({ turn, callId: call_id, name: name ?? null, segmentId });
      if (segmentId === 'main') finalText = call.text;
    } else if (isTool(span)) {
      const { result, rest } = otelToolResult(span, asked, segmentId);
      const exec_us = place.durationUs ?? null;
      out.add('tool_result', { tool_result: { ...result, exec_us } }, joined({ attributes: rest }, about), place);
    } else {
      const failed = span.status === 'error' ? { type: errorType(span), message: span.statusMessage } : null;
      const attributes = unlessEmpty(span.attributes);
      out.add(
        'phase',
        { phase: { phase: 'other', detail: span.name, error: failed } },
        joined({ attributes }, about),
        place,
      );
    }
  }
  return { bySpan, byResponse, finalText };
}

/** Both ends are of the clock of the process that ran it. */
function placeOf({ span, segmentId }: PlacedSpan): EventPlace {
  const { start, end } = span;
  const durationUs = start.us === null || end.us === null || end.us < start.us ? null : end.us - start.us;
  return { segmentId, startedAtUs: start.us, endedAtUs: end.us, durationUs };
}

/** What a span says beside its attributes. */
function aboutSpan(
  { span, isOrphan, parent }: PlacedSpan,
  resource: JsonObject,
): Record<string, JsonValue | undefined> {
  const events = span.events.filter(({ name }) => !isEvaluation(name));
  return {
    span: {
      trace_id: span.traceId,
      span_id: span.spanId,
      parent_id: span.parentId,
      name: span.name,
    },
    status: span.status === 'unset' && span.statusMessage === null ? undefined : [span.status, span.statusMessage],
    orphan: isOrphan ? true : undefined,
    // Its parent is of another conversation.
    apart: !isOrphan && span.parentId !== null && parent === null ? true : undefined,
    events: events.length > 0 ? events.map(eventJson) : undefined,
    resource: isSameJson(span.resource, resource) ? undefined : span.resource,
    rest: span.rest,
  };
}

function eventJson({ name, attributes, rest }: OtelEvent): JsonObject {
  return { name, attributes, ...rest };
}

function errorType({ attributes, events }: OtelSpan): string | null {
  const thrown = events.find(({ name }) => name === 'exception')?.attributes['exception.type'];
  const found = attributes['error.type'] ?? thrown;
  return typeof found === 'string' && found !== '' ? found : null;
}

/** The conventions have no word for why a loop ended: only an error, or the status of the span that holds all others. */
function addEnd(out: AttemptEvents, rollout: OtelRollout, unit: OtelUnit, turns: Turns): void {
  const top = rollout.spans.filter(({ parent, isOrphan, span }) => parent === null && (!isOrphan || isAgent(span)));
  const last = top.findLast(({ span }) => isAgent(span)) ?? top.at(-1);
  if (last !== undefined && last.span.end.us !== null) {
    const { span } = last;
    const type = errorType(span);
    const reasons: RawReasonInit[] = [{ raw: type ?? span.status, system: SYSTEM, detail: span.statusMessage }];
    const said = unit.beside
      .map(({ final_output }) => final_output)
      .find((value) => value !== undefined && value !== null);
    const text = said === undefined ? turns.finalText : asText(said);
    out.add(
      'end',
      {
        end: {
          reasons,
          final_response: text === null ? null : bytesOfText(text),
          exception: span.status === 'error' && type !== null ? { type, message: span.statusMessage } : null,
        },
      },
      undefined,
      { endedAtUs: span.end.us },
    );
  }
  for (const { span } of rollout.spans) {
    for (const event of span.events)
      if (isEvaluation(event.name)) addVerdict(out, event.attributes, span, event, turns);
  }
  for (const log of rollout.logs) {
    if (isEvaluation(log.name)) addVerdict(out, log.attributes, log, null, turns);
    else
      out.addAfterEnd(
        'phase',
        { phase: { phase: 'other', detail: log.name } },
        { log: log.attributes, rest: log.rest, span_id: log.spanId, status: log.status },
      );
  }
}

function addVerdict(
  out: AttemptEvents,
  attributes: JsonObject,
  span: OtelSpan,
  event: OtelEvent | null,
  turns: Turns,
): void {
  const response = attributes['gen_ai.response.id'];
  const ofResponse = typeof response === 'string' ? turns.byResponse.get(response) : undefined;
  const turn = ofResponse ?? turns.bySpan.get(`${span.traceId}/${span.spanId}`) ?? null;
  const { us } = event?.time ?? span.start;
  const rest = event === null ? { span_id: span.spanId, ...span.rest } : event.rest;
  out.addAfterEnd(
    'verdict',
    { verdict: otelVerdict(attributes, turn) },
    { event: unlessEmpty({ ...leftover(rest ?? {}, [CONVERSATION]) }) },
    { endedAtUs: us },
  );
}
