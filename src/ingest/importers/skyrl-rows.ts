import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, idOrNull, objectAt, Refused, shown } from '../fields.ts';
import { leftover } from '../json-text.ts';
import { sameLength } from '../packed.ts';

/** One response with its prompt: a whole trajectory, or one step of it. Values as they stand; `path(name)` is for messages. */
export interface SkyrlRow {
  readonly values: Readonly<Record<Column, JsonValue | undefined>>;
  readonly trajectory: Trajectory | null;
  /** What the row says besides. */
  readonly rest: JsonObject | undefined;
  path(column: Column): string;
}

export interface Trajectory {
  readonly instance: string | null;
  /** Of the instance and its repetition. */
  readonly id: string;
}

type Column = (typeof COLUMNS)[number];

/** Parallel arrays of GeneratorOutput: one value a row each. A row alone may name them in the singular. */
export const COLUMNS = [
  'prompt_token_ids',
  'response_ids',
  'rewards',
  'loss_masks',
  'stop_reasons',
  'rollout_logprobs',
  'trajectory_ids',
  'is_last_step',
  'trajectory_generation_times',
  'trajectory_time_splits',
  'rollout_expert_indices',
  'env_metrics',
  'pixel_values',
  'image_grid_thw',
] as const;

const SINGULAR: Readonly<Partial<Record<Column, string>>> = {
  rewards: 'reward',
  loss_masks: 'loss_mask',
  stop_reasons: 'stop_reason',
  trajectory_ids: 'trajectory_id',
  trajectory_generation_times: 'trajectory_generation_time',
};

export interface SkyrlRows {
  readonly rows: readonly SkyrlRow[];
  /** It was a batch of parallel arrays; what it says of all its rows. */
  readonly batch: JsonObject | null;
}

export function skyrlRows(record: JsonObject): SkyrlRows {
  const prompts = arrayAt(record.prompt_token_ids, 'prompt_token_ids');
  const isBatch = prompts.some(Array.isArray) || (prompts.length === 0 && isEmptyBatch(record));
  return isBatch ? batchRows(record) : { rows: [soleRow(record)], batch: null };
}

function isEmptyBatch({ response_ids, rewards }: JsonObject): boolean {
  return Array.isArray(response_ids) && response_ids.length === 0 && Array.isArray(rewards);
}

function soleRow(record: JsonObject): SkyrlRow {
  const names = new Map(COLUMNS.map((column) => [column, nameIn(record, column)]));
  const path = (column: Column): string => names.get(column) ?? column;
  const values = columnsOf((column) => record[path(column)]);
  return {
    values,
    trajectory: trajectoryOf(values.trajectory_ids, path),
    path,
    rest: leftover(record, [...names.values()]),
  };
}

function nameIn(record: JsonObject, column: Column): string {
  const singular = SINGULAR[column];
  if (singular === undefined || record[singular] === undefined) return column;
  if (record[column] === undefined) return singular;
  throw new Refused(singular, `${singular} or ${column}`, 'both');
}

function batchRows(record: JsonObject): SkyrlRows {
  const responses = arrayAt(record.response_ids, 'response_ids');
  const split = splitsOf(record.trajectory_time_splits, responses.length);
  const columns = columnsOf((column) => {
    if (column === 'trajectory_time_splits') return split;
    const values = arrayOrNull(record[column], column);
    // Parallel arrays that are not: which value belongs to which response nobody can tell.
    if (values !== null) sameLength(values, column, responses.length, 'response_ids');
    return values ?? undefined;
  });
  const rows = responses.map((_, i): SkyrlRow => {
    const path = (column: Column): string => `${column}[${i}]`;
    const values = columnsOf((column) => {
      const all = columns[column];
      return Array.isArray(all) ? all[i] : undefined;
    });
    return { values, trajectory: trajectoryOf(values.trajectory_ids, path), path, rest: undefined };
  });
  return { rows, batch: leftover(record, COLUMNS) ?? {} };
}

/** `{llm: […], env: […]}` becomes one object a row. */
function splitsOf(value: JsonValue | undefined, rows: number): JsonValue[] | undefined {
  if (value === undefined || value === null) return undefined;
  const parts = Object.entries(objectAt(value, 'trajectory_time_splits')).map(([name, values]) => {
    const field = `trajectory_time_splits.${name}`;
    const list = arrayAt(values, field);
    sameLength(list, field, rows, 'response_ids');
    return { name, list };
  });
  return Array.from({ length: rows }, (_, i) => {
    return Object.fromEntries(parts.map(({ name, list }) => [name, list[i] ?? null]));
  });
}

function columnsOf(pick: (column: Column) => JsonValue | undefined): Record<Column, JsonValue | undefined> {
  return {
    prompt_token_ids: pick('prompt_token_ids'),
    response_ids: pick('response_ids'),
    rewards: pick('rewards'),
    loss_masks: pick('loss_masks'),
    stop_reasons: pick('stop_reasons'),
    rollout_logprobs: pick('rollout_logprobs'),
    trajectory_ids: pick('trajectory_ids'),
    is_last_step: pick('is_last_step'),
    trajectory_generation_times: pick('trajectory_generation_times'),
    trajectory_time_splits: pick('trajectory_time_splits'),
    rollout_expert_indices: pick('rollout_expert_indices'),
    env_metrics: pick('env_metrics'),
    pixel_values: pick('pixel_values'),
    image_grid_thw: pick('image_grid_thw'),
  };
}

function trajectoryOf(value: JsonValue | undefined, path: (column: Column) => string): Trajectory | null {
  if (value === undefined || value === null) return null;
  const field = path('trajectory_ids');
  // Written as text the two cannot be told apart: instances have underscores, too.
  if (!isObject(value)) return { instance: null, id: idOrNull(value, field) ?? '' };
  const instance = idOrNull(value.instance_id, `${field}.instance_id`);
  const repetition = idOrNull(value.repetition_id, `${field}.repetition_id`);
  if (instance === null) throw new Refused(`${field}.instance_id`, 'an id', shown(value.instance_id));
  if (repetition === null) throw new Refused(`${field}.repetition_id`, 'an id', shown(value.repetition_id));
  return { instance, id: `${instance}/${repetition}` };
}
