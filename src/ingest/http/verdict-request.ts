import { ExactNumber, isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { idOrNull, Refused, shown, textAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';

/** A verdict as it is posted, checked, before it is known which attempt is meant. */
export interface VerdictRequest {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly epoch: number;
  /** null: the latest. */
  readonly attempt: number | null;
  /** undefined: as the rollout has it. */
  readonly group_id: string | null | undefined;
  /** What goes into its event as it is. */
  readonly rest: JsonObject;
}

/** Of a verdict, but for who says it. */
export const VERDICT_FIELDS = [
  ...[
    'run_id',
    'rollout_id',
    'epoch',
    'attempt',
    'group_id',
    'scorer',
    'scorer_version',
    'status',
    'reward',
    'rewards',
  ],
  ...['bound_to', 'report', 'event_id'],
];
const FIELDS = [...VERDICT_FIELDS, 'producer_id'];
const MOST_INT = 2 ** 31 - 1;

/** Throws Refused, which names the field. */
export function verdictRequest(value: JsonObject): VerdictRequest {
  const unknown = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    throw new Refused(unknown, `one of ${FIELDS.join(', ')}`, unknown, 'there is no such field');
  return {
    run_id: idAt(value, 'run_id'),
    rollout_id: idAt(value, 'rollout_id'),
    epoch: countAt(value, 'epoch') ?? 0,
    attempt: countAt(value, 'attempt'),
    // That it is null says that the rollout has none.
    group_id: value.group_id === undefined ? undefined : idOrNull(value.group_id, 'group_id'),
    rest: {
      ...(isGiven(value.event_id) ? { event_id: textAt(value.event_id, 'event_id') } : {}),
      ...(isGiven(value.producer_id) ? { producer_id: textAt(value.producer_id, 'producer_id') } : {}),
      verdict: verdictOf(value),
    },
  };
}

function verdictOf(value: JsonObject): JsonObject {
  if (value.scorer === undefined || value.scorer === '')
    throw new Refused('scorer', 'the name of a verifier', shown(value.scorer));
  const status = value.status ?? 'scored';
  const rewards = rewardsOf(value);
  const given = Object.entries(rewards);
  if (status === 'scored' && given.length === 0)
    throw new Refused('reward', 'a number or null, since it is scored', 'nothing');
  const scored = status === 'scored' ? undefined : given.find(([, reward]) => reward !== null);
  if (scored !== undefined) throw new Refused('status', 'scored, since there is a reward', shown(status));
  return {
    ...{ scorer: value.scorer, scorer_version: value.scorer_version ?? '', status, rewards },
    bound_to: value.bound_to ?? null,
    report_json: isGiven(value.report) ? jsonText(value.report) : null,
  };
}

function rewardsOf({ reward, rewards }: JsonObject): JsonObject {
  if (reward !== undefined && rewards !== undefined)
    throw new Refused('rewards', 'nothing, since reward is given', shown(rewards));
  if (reward !== undefined) {
    if (reward === null || typeof reward === 'number' || reward instanceof ExactNumber) return { reward };
    throw new Refused('reward', 'a number or null', shown(reward));
  }
  if (!isGiven(rewards)) return {};
  if (isObject(rewards)) return rewards;
  throw new Refused('rewards', 'an object of names and numbers', shown(rewards));
}

function idAt(value: JsonObject, field: string): string {
  const id = idOrNull(value[field], field);
  if (id === null) throw new Refused(field, 'an id', 'nothing');
  return id;
}

function countAt(value: JsonObject, field: string): number | null {
  const count = value[field];
  if (!isGiven(count)) return null;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= MOST_INT) return count;
  throw new Refused(field, 'a whole number from 0 on', shown(count));
}

function isGiven(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}
