import type { FailureInit, ModelCallInit, UsageInit } from '../../../schemas/generated/step-event.ts';
import type { EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayOrNull, countOrNull, objectAt, objectOrNull, Refused, shown, textOrNull } from '../fields.ts';
import { joined, leftover, unlessEmpty } from '../json-text.ts';
import { verifiersSampling } from './verifiers-sampling.ts';
import { spanPlace } from './verifiers-times.ts';

/** One request to the model, as the trace recorded it. */
export interface TraceCall {
  readonly call: Partial<ModelCallInit>;
  readonly place: EventPlace | undefined;
  readonly extra: JsonObject | undefined;
  /** Its own record, where it wrote no node: an answer that nobody was given, or none at all. */
  readonly record: JsonObject;
  readonly index: number;
}

export interface TraceCalls {
  /** By the node that it wrote. */
  readonly ofNode: ReadonlyMap<number, TraceCall>;
  /** Those that failed, by the node of the next call that did not; -1: none came after them. */
  readonly failedBefore: ReadonlyMap<number, readonly TraceCall[]>;
  /** Neither failed nor wrote a node: their answer came when the rollout had stopped. */
  readonly unused: readonly JsonObject[];
}

export function traceCalls(trace: JsonObject, path: string): TraceCalls {
  const ofNode = new Map<number, TraceCall>();
  const failedBefore = new Map<number, readonly TraceCall[]>();
  const unused: JsonObject[] = [];
  /** Where interceptors replaced answers, `stop` may be theirs. */
  const isRewritten = Array.isArray(trace.response_rewrites) && trace.response_rewrites.length > 0;
  let failed: TraceCall[] = [];
  for (const [index, entry] of (arrayOrNull(trace.calls, `${path}.calls`) ?? []).entries()) {
    const at = `${path}.calls[${index}]`;
    const record = objectAt(entry, at);
    const node = nodeOf(record.node, `${at}.node`);
    const call = traceCall(record, at, index, isRewritten);
    if (node !== null) {
      const earlier = ofNode.get(node);
      if (earlier !== undefined) unused.push(earlier.record);
      ofNode.set(node, call);
      if (failed.length > 0) failedBefore.set(node, failed);
      failed = [];
    } else if (call.call.error) failed.push(call);
    else unused.push(record);
  }
  if (failed.length > 0) failedBefore.set(-1, failed);
  return { ofNode, failedBefore, unused };
}

function nodeOf(value: JsonValue | undefined, field: string): number | null {
  if (value === undefined || value === null) return null;
  const node = countOrNull(value);
  if (node === null) throw new Refused(field, 'the index of a node, or null', shown(value));
  return node;
}

const CALL_KEYS = ['node', 'model', 'sampling', 'finish_reason', 'usage', 'time', 'error'];

function traceCall(record: JsonObject, path: string, index: number, isRewritten: boolean): TraceCall {
  const { model, sampling, finish_reason, usage, time } = record;
  const error = objectOrNull(record.error, `${path}.error`);
  const said = textOrNull(finish_reason, `${path}.finish_reason`);
  const isDoubtful = isRewritten && said === 'stop';
  const counted = usageOf(usage);
  return {
    call: {
      call_id: `call-${index}`,
      model: textOrNull(model, `${path}.model`),
      sampling: verifiersSampling(sampling),
      finish_reason: isDoubtful ? null : said,
      usage: counted.usage,
      error: error === null ? null : failureOf(error, `${path}.error`),
    },
    place: spanPlace(time) ?? undefined,
    extra: unlessEmpty(
      joined(leftover(record, CALL_KEYS), {
        finish_reason: isDoubtful ? said : undefined,
        sampling: isObject(sampling) ? undefined : (sampling ?? undefined),
        usage: counted.rest,
        error: error === null ? undefined : leftover(error, ['type', 'message']),
        time: timeRest(time),
      }),
    ),
    record,
    index,
  };
}

export function failureOf(error: JsonObject, path: string): FailureInit {
  return { type: textOrNull(error.type, `${path}.type`), message: textOrNull(error.message, `${path}.message`) };
}

/** What is no span of two times: kept. An empty one is what the schema begins with. */
function timeRest(time: JsonValue | undefined): JsonValue | undefined {
  if (time === undefined || time === null) return undefined;
  const place = spanPlace(time);
  if (!isObject(time)) return time;
  const isWhole = place !== null && place.startedAtUs !== null && place.endedAtUs !== null;
  const isUnset = time.start === 0 && time.end === 0;
  return (isWhole || isUnset) && leftover(time, ['start', 'end']) === undefined ? undefined : time;
}

const USAGE_KEYS = ['prompt_tokens', 'completion_tokens', 'cached_input_tokens', 'reasoning_tokens'];

/** Its prompt tokens are those that were not read from the cache: the prompt is both. */
function usageOf(value: JsonValue | undefined): { usage: UsageInit | null; rest: JsonValue | undefined } {
  if (!isObject(value)) return { usage: null, rest: value ?? undefined };
  const prompt = countOrNull(value.prompt_tokens);
  const cached = countOrNull(value.cached_input_tokens);
  const usage = {
    prompt_tokens: prompt === null ? null : prompt + (cached ?? 0),
    completion_tokens: countOrNull(value.completion_tokens),
    cached_tokens: cached,
    reasoning_tokens: countOrNull(value.reasoning_tokens),
  };
  const isWhole = USAGE_KEYS.every((key) => (value[key] ?? null) === null || countOrNull(value[key]) !== null);
  return { usage, rest: isWhole ? leftover(value, USAGE_KEYS) : value };
}
