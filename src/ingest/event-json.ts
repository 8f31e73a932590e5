import { createHash } from 'node:crypto';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { eventFault } from '../../processors/decode/event-faults.ts';
import { frame, HEADER_BYTES } from '../../processors/decode/wire-format.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { isObject, type JsonObject } from './exact-number.ts';
import { idOrNull, Refused, shown } from './fields.ts';
import { inexactNumbers, readStepEvent } from './importers/event-reader.ts';
import { jsonText } from './json-text.ts';

const KINDS = ['start', 'model_call', 'message', 'tool_result', 'phase', 'verdict', 'end'] as const;
const UNSEQUENCED: readonly string[] = ['verdict', 'phase'];

/** A step event as JSON: snake_case, arrays unpacked, defaults left out. */
export interface EventJson {
  readonly value: JsonObject;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
  /** Keys that it has twice; the last value counted. */
  readonly duplicateKeys: readonly string[];
}

/** What an event may leave out because whoever hands it in says it. */
export interface EventDefaults {
  /** null: the event has to say it. */
  readonly runId: string | null;
  readonly producerId: string;
  /** Name of the format: source.format and env_name. */
  readonly format: string;
  /** For messages to people; null: it stands nowhere. */
  readonly location: string | null;
  /** Of events with a group; null: as the event says. */
  readonly groupSize: number | null;
  /** By field: they go before what the event says itself. */
  readonly overrides: JsonObject;
}

const eventType = avroTypeOf(stepEventSchema);

/** The event, complete and sound; throws Refused, which names the field. */
export function eventOfJson(given: EventJson, defaults: EventDefaults): StepEventInit {
  const event = readStepEvent(withDefaults(given, defaults), '');
  if (!isStepEvent(event)) throw new Refused('', 'a step event', 'something else', 'is not a step event');
  checkSound(event);
  return event;
}

/** What the schema cannot say is checked where events are read; here the record can still be named. */
function checkSound(event: StepEventInit): void {
  const whole: { value: StepEvent } = eventType.decode(frame(0, eventType, event), HEADER_BYTES);
  const found = eventFault(whole.value);
  if (found?.kind === 'dead_letter') throw new Refused(found.fault.field, found.fault.expected, found.fault.got);
}

function isStepEvent(value: unknown): value is StepEventInit {
  return eventType.isValid(value);
}

function withDefaults(given: EventJson, defaults: EventDefaults): JsonObject {
  const { value } = given;
  const { kind } = value;
  if (typeof kind !== 'string' || !KINDS.some((known) => known === kind)) {
    throw new Refused('kind', `one of ${KINDS.join(', ')}`, shown(kind));
  }
  if (!isObject(value[kind])) throw new Refused(kind, `an object, since kind is ${kind}`, shown(value[kind]));
  const other = KINDS.find((name) => name !== kind && value[name] !== undefined && value[name] !== null);
  if (other !== undefined) throw new Refused(other, `nothing, since kind is ${kind}`, shown(value[other]));
  if ((value.seq === undefined || value.seq === null) && !UNSEQUENCED.includes(kind)) {
    throw new Refused('seq', `the place of the ${kind} in its attempt`, shown(value.seq));
  }
  const ids = idsOf(value);
  const group = ids.group_id ?? null;
  const { format, location } = defaults;
  const event: JsonObject = {
    ...(defaults.runId === null ? {} : { run_id: defaults.runId }),
    env_name: format,
    task_id: group ?? ids.rollout_id ?? null,
    event_id: eventId(given),
    producer_id: defaults.producerId,
    ...value,
    ...ids,
    ...defaults.overrides,
    source: { format, location, ...(isObject(value.source) ? value.source : {}) },
    extra_json: extraOf(given),
  };
  if (group !== null && defaults.groupSize !== null) event.group_size = defaults.groupSize;
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

/** Who it is, what, where in its attempt, and its bytes. */
function eventId({ value, sha256 }: EventJson): string {
  const { run_id, epoch, group_id, rollout_id, attempt, kind, seq } = value;
  const named = jsonText([run_id, epoch, group_id, rollout_id, attempt, kind, seq].map((part) => part ?? null));
  return createHash('sha256').update(named).update(sha256).digest('hex').slice(0, 40);
}

function extraOf({ value, duplicateKeys }: EventJson): string | null {
  const given = value.extra_json ?? null;
  const { extra_json: _extra, ...rest } = value;
  const inexact = inexactNumbers(rest);
  const added: JsonObject = {};
  if (duplicateKeys.length > 0) added.duplicate_keys = [...duplicateKeys];
  if (Object.keys(inexact).length > 0) added.inexact = inexact;
  if (isObject(given)) return jsonText({ ...given, ...added });
  if (Object.keys(added).length > 0) return jsonText(given === null ? added : { ...added, extra_json: given });
  return typeof given === 'string' || given === null ? given : jsonText(given);
}
