import { ExactNumber, isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, objectAt, objectOrNull, Refused, shown } from '../fields.ts';
import { heldBytes } from '../held-rollouts.ts';
import { ARRAY, type ParsedLine } from '../importer.ts';
import { joined, leftover, unlessEmpty } from '../json-text.ts';
import { type SourceTime, sourceTime } from '../source-times.ts';
import { otelAttributes, otelId } from './otlp-values.ts';

export interface OtelEvent {
  readonly name: string;
  readonly time: SourceTime;
  readonly attributes: JsonObject;
  readonly rest: JsonObject | undefined;
}

/** One span, or what a log says of one. */
export interface OtelSpan {
  readonly traceId: string;
  /** null: a log that names no span. */
  readonly spanId: string | null;
  readonly parentId: string | null;
  readonly isLog: boolean;
  readonly name: string;
  readonly start: SourceTime;
  readonly end: SourceTime;
  readonly attributes: JsonObject;
  /** `ok`, `error`, `unset`, or what stands there. */
  readonly status: string;
  readonly statusMessage: string | null;
  readonly events: readonly OtelEvent[];
  readonly resource: JsonObject;
  /** What no other field says, as it stands. */
  readonly rest: JsonObject | undefined;
  readonly bytes: number;
}

/** What a record holds. */
export interface OtelRecord {
  readonly spans: readonly OtelSpan[];
  /** Beside the spans, such as any-agent's `final_output`. */
  readonly beside: JsonObject | undefined;
}

/** Spans of one record: an export request of OTLP, a document of spans, or one span. */
export function otelRecord({ value }: ParsedLine): OtelRecord {
  const list = value[ARRAY];
  if (Array.isArray(list)) {
    const all = list.map((item, i) => recordOf(objectAt(item, `[${i}]`), `[${i}].`));
    return {
      spans: all.flatMap(({ spans }) => spans),
      beside: unlessEmpty(Object.assign({}, ...all.map(({ beside }) => beside))),
    };
  }
  return recordOf(value, '');
}

const REQUEST = ['resourceSpans', 'resource_spans', 'resourceLogs', 'resource_logs'];

function recordOf(value: JsonObject, path: string): OtelRecord {
  const [key] = REQUEST.filter((name) => value[name] !== undefined);
  if (key !== undefined) {
    const spans = REQUEST.flatMap((name) => ofResources(value[name], `${path}${name}`, name.endsWith('ogs')));
    return { spans, beside: leftover(value, REQUEST) };
  }
  if (Array.isArray(value.spans)) {
    const spans = value.spans.map((span, i) =>
      spanOf(objectAt(span, `${path}spans[${i}]`), `${path}spans[${i}]`, {}, undefined, false),
    );
    return { spans, beside: leftover(value, ['spans']) };
  }
  if (isObject(value.context) || value.traceId !== undefined || value.trace_id !== undefined) {
    return { spans: [spanOf(value, path.replace(/\.$/, ''), {}, undefined, false)], beside: undefined };
  }
  throw new Refused(path, 'resourceSpans, spans or a span', Object.keys(value).slice(0, 8).join(', '));
}

function ofResources(value: JsonValue | undefined, path: string, isLog: boolean): OtelSpan[] {
  return (arrayOrNull(value, path) ?? []).flatMap((item, i) => {
    const at = `${path}[${i}]`;
    const group = objectAt(item, at);
    const resource = objectOrNull(group.resource, `${at}.resource`) ?? {};
    const attributes = otelAttributes(resource.attributes, `${at}.resource.attributes`);
    const names = isLog ? LOG_SCOPES : SPAN_SCOPES;
    const said = joined(attributes, leftover(group, ['resource', ...names]), leftover(resource, ['attributes']));
    return names.flatMap((name) =>
      (arrayOrNull(group[name], `${at}.${name}`) ?? []).flatMap((scoped, k) =>
        ofScope(scoped, `${at}.${name}[${k}]`, said, isLog),
      ),
    );
  });
}

const SPAN_SCOPES = ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans', 'instrumentation_library_spans'];
const LOG_SCOPES = ['scopeLogs', 'scope_logs'];
const ITEMS = ['spans', 'logRecords', 'log_records'];

function ofScope(value: JsonValue, path: string, resource: JsonObject, isLog: boolean): OtelSpan[] {
  const group = objectAt(value, path);
  const scope = leftover(group, ITEMS);
  return ITEMS.flatMap((name) =>
    group[name] === undefined
      ? []
      : arrayAt(group[name], `${path}.${name}`).map((span, i) =>
          spanOf(objectAt(span, `${path}.${name}[${i}]`), `${path}.${name}[${i}]`, resource, scope, isLog),
        ),
  );
}

/** A field under either of its names. */
function field(span: JsonObject, names: readonly string[]): JsonValue | undefined {
  for (const name of names) if (span[name] !== undefined) return span[name];
  return undefined;
}

const TRACE = ['traceId', 'trace_id'];
const SPAN = ['spanId', 'span_id'];
const PARENT = ['parentSpanId', 'parent_span_id', 'parent_id'];
const START = ['startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'timeUnixNano', 'time_unix_nano'];
const END = ['endTimeUnixNano', 'end_time_unix_nano', 'end_time'];
const IDS = ['trace_id', 'span_id'];
const NAME = ['name', 'eventName', 'event_name'];
const KNOWN = [
  ...TRACE,
  ...SPAN,
  ...PARENT,
  ...START,
  ...END,
  ...NAME,
  'attributes',
  'status',
  'events',
  'context',
  'parent',
  'resource',
];

function spanOf(
  span: JsonObject,
  path: string,
  resource: JsonObject,
  scope: JsonObject | undefined,
  isLog: boolean,
): OtelSpan {
  const context = objectOrNull(span.context, `${path}.context`) ?? {};
  const parent = objectOrNull(span.parent, `${path}.parent`) ?? {};
  const traceId = otelId(field(span, TRACE) ?? context.trace_id, `${path}.traceId`, 16);
  if (traceId === null)
    throw new Refused(`${path}.traceId`, 'the id of a trace', shown(field(span, TRACE) ?? context.trace_id));
  const spanId = otelId(field(span, SPAN) ?? context.span_id, `${path}.spanId`, 8);
  if (spanId === null && !isLog)
    throw new Refused(`${path}.spanId`, 'the id of a span', shown(field(span, SPAN) ?? context.span_id));
  const attributes = otelAttributes(span.attributes, `${path}.attributes`);
  const name = field(span, NAME) ?? attributes['event.name'];
  const own = objectOrNull(span.resource, `${path}.resource`) ?? {};
  const status = statusOf(span.status);
  const start = sourceTime(field(span, START));
  const end = sourceTime(field(span, END));
  const events = isLog
    ? []
    : (arrayOrNull(span.events, `${path}.events`) ?? []).map((event, i) =>
        eventOf(objectAt(event, `${path}.events[${i}]`), `${path}.events[${i}]`),
      );
  return {
    traceId,
    spanId,
    parentId: otelId(field(span, PARENT) ?? parent.span_id, `${path}.parentSpanId`, 8),
    isLog,
    name: typeof name === 'string' ? name : '',
    start,
    end,
    attributes,
    status: status.code,
    statusMessage: status.message,
    events,
    // One object for all spans of a resource: it is compared by what it is.
    resource: isObject(span.resource)
      ? {
          ...resource,
          ...otelAttributes(own.attributes, `${path}.resource.attributes`),
          ...leftover(own, ['attributes']),
        }
      : resource,
    rest: unlessEmpty(
      joined(leftover(span, KNOWN), noteTimes(span, start, end), {
        name: typeof name === 'string' ? undefined : name,
        scope,
        status: status.rest,
        context: leftover(context, IDS),
        parent: unlessEmpty(joined(leftover(parent, IDS), { trace_id: otherTrace(parent.trace_id, traceId) })),
      }),
    ),
    bytes: heldBytes(span) + 600,
  };
}

function otherTrace(value: JsonValue | undefined, traceId: string): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  return otelId(value, 'parent.trace_id', 16) === traceId ? undefined : value;
}

/** The digits below a µs, and what is no time. */
function noteTimes(span: JsonObject, start: SourceTime, end: SourceTime): Record<string, JsonValue | undefined> {
  const from = field(span, START);
  const to = field(span, END);
  return {
    start_time: isWhole(from, start) ? undefined : from,
    end_time: isWhole(to, end) ? undefined : to,
  };
}

function isWhole(value: JsonValue | undefined, time: SourceTime): boolean {
  if (value === undefined || value === null) return true;
  if (time.us === null || time.note !== null) return false;
  const digits = value instanceof ExactNumber ? value.text : String(value);
  return !/^\d{17,}$/.test(digits) || digits.endsWith('000');
}

const CODE = ['code', 'status_code'];
const MESSAGE = ['message', 'description'];
const STATUS = [...CODE, ...MESSAGE];
/** Codes and words that a status is made of; of others the source's own value is kept beside it. */
const CODES = new Map([
  ...[['0', 'unset'] as const, ['1', 'ok'] as const, ['2', 'error'] as const],
  ...['unset', 'ok', 'error'].map((word) => [word, word] as const),
]);

function statusOf(value: JsonValue | undefined): { code: string; message: string | null; rest: JsonValue | undefined } {
  if (!isObject(value)) {
    const code = typeof value === 'string' ? value.toLowerCase() : 'unset';
    return { code, message: null, rest: code === value || value === null ? undefined : value };
  }
  const code = field(value, CODE);
  const message = field(value, MESSAGE);
  const isWord = typeof code === 'string' || typeof code === 'number';
  const word = String(isWord ? code : '0')
    .toLowerCase()
    .replace(/^status_code_/, '');
  const isCode = isWord ? CODES.has(word) : code === undefined || code === null;
  const isMessage = message === undefined || message === null || typeof message === 'string';
  return {
    code: CODES.get(word) ?? word,
    message: typeof message === 'string' && message !== '' ? message : null,
    rest: leftover(value, isCode && isMessage ? STATUS : [...(isCode ? CODE : []), ...(isMessage ? MESSAGE : [])]),
  };
}

function eventOf(event: JsonObject, path: string): OtelEvent {
  const { name, attributes, timeUnixNano, time_unix_nano, timestamp, ...rest } = event;
  return {
    name: typeof name === 'string' ? name : '',
    time: sourceTime(timeUnixNano ?? time_unix_nano ?? timestamp),
    attributes: otelAttributes(attributes, `${path}.attributes`),
    rest: unlessEmpty({
      ...rest,
      time: timeUnixNano ?? time_unix_nano ?? timestamp,
      name: typeof name === 'string' ? undefined : name,
    }),
  };
}
