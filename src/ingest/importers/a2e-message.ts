import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { booleanOr, idOrNull, objectAt, rewardAt, textAt } from '../fields.ts';
import { heldBytes } from '../held-rollouts.ts';
import type { ParsedLine } from '../importer.ts';
import { leftover, unlessEmpty } from '../json-text.ts';
import { type SourceTime, sourceTime } from '../source-times.ts';

/** One message of the wire. */
export interface A2eMessage {
  readonly type: string;
  /** null: it has none. */
  readonly id: string | null;
  /** Id of the request that it answers; some answers have lost it. */
  readonly reqId: string | null;
  readonly time: SourceTime;
  readonly value: JsonObject;
  readonly sha256: string;
  readonly line: number;
  readonly location: string;
  /** About what holding it takes. */
  readonly bytes: number;
  readonly duplicateKeys: readonly string[];
}

/** What an observation says; checked when its line is read, so that the line can be named. */
export interface Observation {
  readonly value: JsonObject;
  readonly episodeId: string | null;
  readonly done: boolean;
  readonly truncated: boolean;
  /** null: it has none, which is not 0. */
  readonly reward: number | null;
}

/** The version stands under `version`, or, as their documents have it, under `a2e`. */
const ENVELOPE = ['type', 'id', 'req_id', 'ts', 'version', 'a2e'];

export function a2eMessage({ value, sha256, location, duplicateKeys }: ParsedLine): A2eMessage {
  const line = Number(/:(\d+)$/.exec(location)?.[1] ?? 1);
  // An empty req_id is their default: the answer does not say what it answers.
  const reqId = value.req_id === '' ? null : idOrNull(value.req_id, 'req_id');
  return {
    type: textAt(value.type, 'type'),
    id: value.id === '' ? null : idOrNull(value.id, 'id'),
    reqId,
    time: sourceTime(value.ts),
    value,
    sha256,
    line,
    location,
    bytes: heldBytes(value) + 400,
    duplicateKeys,
  };
}

export function versionOf({ value }: A2eMessage): string {
  const version = value.version ?? value.a2e;
  return typeof version === 'string' ? version : '';
}

export function observationOf(value: JsonValue | undefined, field: string): Observation {
  const obs = objectAt(value, field);
  return {
    value: obs,
    episodeId: idOrNull(obs.episode_id, `${field}.episode_id`),
    done: booleanOr(obs.done, `${field}.done`, false),
    truncated: booleanOr(obs.truncated, `${field}.truncated`, false),
    reward: rewardAt(obs.reward, `${field}.reward`).reward,
  };
}

/** What the fields of an event do not say of a message: `taken` are those that do. undefined: nothing. */
export function restOfMessage(message: A2eMessage, version: string, taken: readonly string[]): JsonObject | undefined {
  const { value, duplicateKeys, time, id, reqId } = message;
  const { version: own, a2e } = value;
  return unlessEmpty({
    ...leftover(value, [...ENVELOPE, ...taken]),
    id: id ?? value.id,
    req_id: reqId === null ? undefined : value.req_id,
    // One message says it for all of an episode.
    version: own === version ? undefined : own,
    a2e: a2e === version ? undefined : a2e,
    ts: value.ts !== undefined && time.us === null ? value.ts : undefined,
    times: time.note === null ? undefined : time.note,
    duplicate_keys: duplicateKeys.length > 0 ? [...duplicateKeys] : undefined,
  });
}

/** What of an observation is no state, reward or end. */
export function restOfObservation({ value }: Observation): JsonObject | undefined {
  return leftover(value, ['episode_id', 'state']);
}

/** Where their free-form places say it: options of a reset, metadata of its observation. */
export function labelOf(name: string, ...places: readonly (JsonValue | undefined)[]): JsonValue | undefined {
  for (const place of places) {
    const label = isObject(place) ? place[name] : undefined;
    if (label !== undefined && label !== null) return label;
  }
  return undefined;
}
