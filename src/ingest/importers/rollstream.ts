import { createHash } from 'node:crypto';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { eventFault } from '../../../processors/decode/event-faults.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject } from '../exact-number.ts';
import { idOrNull, Refused, shown } from '../fields.ts';
import { type ImportContext, type Importer, type ParsedLine, refusable } from '../importer.ts';
import { jsonText } from '../json-text.ts';
import { inexactNumbers, readStepEvent } from './event-reader.ts';

const FORMAT = 'rollstream';
const KINDS = ['start', 'model_call', 'message', 'tool_result', 'phase', 'verdict', 'end'] as const;
const UNSEQUENCED: readonly string[] = ['verdict', 'phase'];

/** StepEvents as JSON Lines, snake_case, arrays unpacked; one event a line. */
export const rollstream: Importer = {
  name: FORMAT,

  detect(first) {
    const isEvent = first.some((line) => line.rollout_id !== undefined && typeof line.kind === 'string');
    return isEvent ? { score: 1, why: 'lines with kind and rollout_id: step events' } : null;
  },

  interleaved: true,

  open: (context) => ({ take: (line) => refusable(() => [stepEvent(line, context)]) }),
};

const eventType = avroTypeOf(stepEventSchema);

function stepEvent(line: ParsedLine, context: ImportContext): StepEventInit {
  const event = readStepEvent(withDefaults(line, context), '');
  if (!isStepEvent(event)) throw new Refused('', 'a step event', 'something else', 'is not a step event');
  // What the schema cannot say is checked where events are read; here the line can still be named.
  const whole: unknown = eventType.fromBuffer(eventType.toBuffer(event));
  const found = isWholeEvent(whole) ? eventFault(whole) : null;
  if (found?.kind === 'dead_letter') throw new Refused(found.fault.field, found.fault.expected, found.fault.got);
  return event;
}

function isWholeEvent(value: unknown): value is StepEvent {
  return eventType.isValid(value);
}

function isStepEvent(value: unknown): value is StepEventInit {
  return eventType.isValid(value);
}

/** What a line may leave out because the import says it: identity of the run, producer, source, event id. */
function withDefaults(line: ParsedLine, context: ImportContext): JsonObject {
  const given = line.value;
  const { kind } = given;
  if (typeof kind !== 'string' || !KINDS.some((known) => known === kind)) {
    throw new Refused('kind', `one of ${KINDS.join(', ')}`, shown(kind));
  }
  if (!isObject(given[kind])) throw new Refused(kind, `an object, since kind is ${kind}`, shown(given[kind]));
  const other = KINDS.find((name) => name !== kind && given[name] !== undefined && given[name] !== null);
  if (other !== undefined) throw new Refused(other, `nothing, since kind is ${kind}`, shown(given[other]));
  if ((given.seq === undefined || given.seq === null) && !UNSEQUENCED.includes(kind)) {
    throw new Refused('seq', `the place of the ${kind} in its attempt`, shown(given.seq));
  }
  const ids = idsOf(given);
  const group = ids.group_id ?? null;
  const event: JsonObject = {
    run_id: context.runId,
    env_name: FORMAT,
    task_id: group ?? ids.rollout_id ?? null,
    event_id: eventId(line),
    producer_id: `import:${FORMAT}`,
    ...given,
    ...ids,
    ...context.overrides,
    source: { format: FORMAT, location: line.location, ...(isObject(given.source) ? given.source : {}) },
    extra_json: extraOf(line),
  };
  if (group !== null && context.groupSize !== null) event.group_size = context.groupSize;
  return event;
}

/** Ids that are integers are ids by their digits. */
function idsOf(given: JsonObject): JsonObject {
  const ids: JsonObject = {};
  for (const key of ['run_id', 'task_id', 'group_id', 'rollout_id']) {
    if (given[key] !== undefined) ids[key] = idOrNull(given[key], key);
  }
  if (ids.rollout_id === undefined) throw new Refused('rollout_id', 'an id', 'nothing');
  return ids;
}

/** Who it is, what, where in its attempt, and the line's bytes. */
function eventId({ value, sha256 }: ParsedLine): string {
  const { run_id, epoch, group_id, rollout_id, attempt, kind, seq } = value;
  const named = jsonText([run_id, epoch, group_id, rollout_id, attempt, kind, seq].map((part) => part ?? null));
  return createHash('sha256').update(named).update(sha256).digest('hex').slice(0, 40);
}

function extraOf(line: ParsedLine): string | null {
  const given = line.value.extra_json ?? null;
  const { extra_json: _extra, ...rest } = line.value;
  const inexact = inexactNumbers(rest);
  const added: JsonObject = {};
  if (line.duplicateKeys.length > 0) added.duplicate_keys = [...line.duplicateKeys];
  if (Object.keys(inexact).length > 0) added.inexact = inexact;
  if (isObject(given)) return jsonText({ ...given, ...added });
  if (Object.keys(added).length > 0) return jsonText(given === null ? added : { ...added, extra_json: given });
  return typeof given === 'string' || given === null ? given : jsonText(given);
}
