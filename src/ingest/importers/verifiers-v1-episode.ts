import type { Purpose } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, booleanOr, idOrNull, objectAt, objectOrNull } from '../fields.ts';
import { leftover } from '../json-text.ts';

/** A line of traces.jsonl: what one run of the environment was, over all its agents. */
export interface Episode {
  readonly id: string | null;
  readonly env: string | null;
  readonly groupId: string | null;
  /** As the source says; null: it does not. */
  readonly purpose: Purpose | null;
  /** Versions of the policy that was trained, while the episode ran; null: one and the same could not be told. */
  readonly version: string | null;
  /** The last of an episode that is not ok. */
  readonly error: JsonObject | null;
  readonly traces: readonly JsonObject[];
  readonly task: JsonObject;
  /** All that it says besides its traces and its task. */
  readonly rest: JsonObject | undefined;
}

/** A trace that stands alone is an episode of one. */
export function episodeOf(line: JsonObject): Episode {
  if (line.traces === undefined && line.nodes !== undefined) {
    return { ...NOTHING, traces: [line], task: objectOrNull(line.task, 'task') ?? {} };
  }
  const env = objectOrNull(line.env, 'env') ?? {};
  const run = objectOrNull(line.run, 'run') ?? {};
  const errors = arrayOrNull(line.errors, 'errors') ?? [];
  const isOk = booleanOr(line.ok, 'ok', errors.length === 0);
  const work = objectOrNull(run.work, 'run.work') ?? {};
  return {
    id: idUnlessEmpty(line.id, 'id'),
    env: nameIn(env, 'name') ?? nameIn(env, 'id'),
    groupId: idUnlessEmpty(objectOrNull(line.group, 'group')?.id, 'group.id'),
    purpose: purposeOf(run, work),
    version: versionOf(work.policy),
    error: isOk || errors.length === 0 ? null : objectAt(errors.at(-1), `errors[${errors.length - 1}]`),
    traces: arrayAt(line.traces, 'traces').map((trace, i) => objectAt(trace, `traces[${i}]`)),
    task: objectOrNull(line.task, 'task') ?? {},
    rest: leftover(line, ['traces', 'task']),
  };
}

const NOTHING = { id: null, env: null, groupId: null, purpose: null, version: null, error: null, rest: undefined };

/** An episode of a training run may be an evaluation between its steps. */
function purposeOf(run: JsonObject, work: JsonObject): Purpose | null {
  const type = work.type ?? run.type;
  return type === 'train' || type === 'eval' ? type : null;
}

function versionOf(policy: JsonValue | undefined): string | null {
  if (!isObject(policy)) return null;
  const { start, end } = policy;
  return typeof start === 'number' && start === end ? String(start) : null;
}

export function nameIn(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Where the schema begins with an empty text, that is no id. */
export function idUnlessEmpty(value: JsonValue | undefined, field: string): string | null {
  return value === '' ? null : idOrNull(value, field);
}
