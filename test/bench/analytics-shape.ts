import { boundsOf, ENDINGS, sums, WORLDS } from './analytics-world.ts';

/** Members of a group. */
export const MEMBERS = 8;
/** Partitions of the log. */
export const PARTITIONS = 4;
/** Groups that one step of the trainer takes, at most. */
export const STEP_GROUPS = 64;
/** Attempts that a rollout has at most: the default policy retries twice. */
const TRIES = 3;
/** Two days over the end of a month, so that the tables have parts of two. */
const BEGAN_US = Date.UTC(2026, 1, 28, 4) * 1000;
const SPAN_US = 48 * 3600 * 1_000_000;

export interface Shape {
  readonly run: string;
  readonly seed: number;
  readonly groups: number;
  readonly stepsPerTrajectory: number;
}

/** A number in [0, 1) that depends on the seed, the columns named and the salt. */
export function random(seed: number, columns: string, salt: number): string {
  return `((cityHash64(${seed}, ${columns}, ${salt}) % 1048573) / 1048573)`;
}

/** About normal, mean 0, variance 1. */
function normal(seed: number, columns: string, salt: number): string {
  return `(2 * (${[0, 1, 2].map((n) => random(seed, columns, salt + n)).join(' + ')} - 1.5))`;
}

const texts = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;
const lists = (values: ReadonlyArray<readonly (number | string)[]>): string =>
  `[${values.map((list) => `[${list.map((one) => (typeof one === 'string' ? `'${one}'` : one)).join(', ')}]`).join(', ')}]`;

/** Offsets that a rollout takes in its partition, its attempts included. */
export function strideOf({ stepsPerTrajectory }: Shape): number {
  return TRIES * triesStride(stepsPerTrajectory);
}

function triesStride(steps: number): number {
  return 2 * steps + 16;
}

/** The last groups of the run are still open. */
export function openGroupsOf({ groups }: Shape): number {
  return Math.min(3, Math.floor(groups / 8));
}

/** Groups that a step of the trainer takes: a small run has a few steps, too. */
export function stepGroupsOf({ groups }: Shape): number {
  return Math.min(STEP_GROUPS, Math.max(1, Math.floor(groups / 16)));
}

/** Groups of a partition. */
export function groupsIn({ groups }: Shape, partition: number): number {
  return Math.ceil((groups - partition) / PARTITIONS);
}

/** Where the second owner of partition 0 was restored: rows of the first at or above it do not count. */
export function restoredAt(shape: Shape): number {
  return Math.floor(groupsIn(shape, 0) / 2) * MEMBERS * strideOf(shape);
}

/**
 * Attempts of the rollouts `from` to `to`, a row each, with all that the tables say of them. `is_dead` are copies that an owner
 * wrote that had died: they count nowhere. Groups are whole in a piece. In the order of the
 * tables' keys, so that no insert has to sort.
 */
export function shapeOf(shape: Shape, from: number, to: number): string {
  const { run, seed, groups, stepsPerTrajectory: steps } = shape;
  const tasks = Math.min(2000, Math.max(200, Math.round(groups / 60)));
  const versions = Math.min(400, Math.max(1, Math.round(groups / stepGroupsOf(shape))));
  const [stride, tryStride] = [strideOf(shape), triesStride(steps)];
  const byTry = (salt: number) => random(seed, 'r, a', salt);
  const byGroup = (salt: number) => random(seed, 'g', salt);
  const shares = sums(WORLDS.map(({ share }) => share));
  const endingOf = `(try) -> arrayFirstIndex((bound) -> ${random(seed, 'r, try', 1)} < bound, ${lists(WORLDS.map(boundsOf))}[w])`;
  const isAgain = (n: number) =>
    `(${texts(ENDINGS.map(({ disposition }) => disposition))}[endings[${n}]] IN ('retry', 'superseded'))`;
  const pick = (of: (typeof ENDINGS)[number][keyof (typeof ENDINGS)[number]][]) => `${texts(of.map(String))}[ending]`;
  const callsMean = Math.max(1, (steps - 3.4) / 2);
  const wallShare = (n: number) => `${lists(WORLDS.map(({ wall }) => wall))}[w][${n}] * (0.6 + 0.8 * ${byTry(20 + n)})`;
  return `
WITH
  rollouts AS (
    SELECT
      number AS r, intDiv(number, ${MEMBERS}) AS g, number % ${MEMBERS} AS m,
      g / ${groups} AS progress,
      cityHash64(${seed}, g, 2) % ${tasks} AS task,
      arrayFirstIndex((bound) -> ${random(seed, 'task', 3)} < bound, [${shares.slice(0, -1).join(', ')}, 1.1]) AS w,
      g >= ${groups - openGroupsOf(shape)} AS is_open,
      arrayMap(${endingOf}, range(${TRIES})) AS endings,
      multiIf(is_open OR NOT ${isAgain(1)}, 1, NOT ${isAgain(2)}, 2, ${TRIES}) AS tries
    FROM numbers(${from}, ${to - from})
    WHERE NOT (m = ${MEMBERS - 1} AND ${byGroup(4)} < 0.02)
  ),
  tried AS (
    SELECT
      *,
      toInt32(arrayJoin(range(tries))) AS a,
      if(a = ${TRIES - 1} AND ${texts(ENDINGS.map(({ disposition }) => disposition))}[endings[a + 1]] = 'superseded', 1, endings[a + 1]) AS ending,
      ${pick(ENDINGS.map(({ code }) => code))} AS code,
      ${pick(ENDINGS.map(({ category }) => category))} AS category,
      ${pick(ENDINGS.map(({ raw }) => raw))} AS raw,
      ${pick(ENDINGS.map(({ system }) => system))} AS system,
      ${pick(ENDINGS.map(({ disposition }) => disposition))} AS ruling,
      ${pick(ENDINGS.map(({ why }) => why))} AS ruling_why,
      ${byGroup(5)} < 0.03 AS is_eval,
      ruling IN ('train', 'train_masked', 'penalise') AS is_kept,
      multiIf(
        a = ${TRIES - 1} AND ruling = 'retry', 'drop', is_kept AND (is_eval OR ${byGroup(6)} < 0.01), 'drop', ruling) AS disposition,
      multiIf(
        a = ${TRIES - 1} AND ruling = 'retry', [code, 'retries_exhausted'],
        is_kept AND is_eval, ['purpose', code],
        is_kept AND disposition = 'drop', ['group_too_small', code],
        ruling_why = code, [code],
        [ruling_why, code]) AS why,
      disposition IN ('train', 'train_masked', 'penalise') AS is_ready,
      toInt32(least(${steps}, greatest(1, round(${callsMean} * ${lists([WORLDS.map(({ length }) => length)])}[1][w]
        * exp(0.5 * ${normal(seed, 'r, a', 10)}) * if(ruling = 'retry', ${byTry(7)}, 1))))) AS calls,
      toInt64(1000000 * if(code = 'wall_clock', 900, ${lists([WORLDS.map(({ seconds }) => seconds)])}[1][w])
        * exp(0.7 * ${normal(seed, 'r, a', 13)})) AS duration_us,
      toInt64(${BEGAN_US} + progress * ${SPAN_US} + ${byGroup(8)} * 60000000 + m * 150000 + a * 90000000) AS begin_us,
      begin_us + duration_us AS end_us,
      ${byGroup(9)} < 0.003 AS is_timeless
    FROM rollouts
  ),
  scored AS (
    SELECT
      *,
      ${random(seed, 'task', 16)} AS hardness,
      least(0.98, greatest(0.02, 1.3 * (1 - hardness) - 0.15 + 0.25 * progress)) AS chance,
      multiIf(
        disposition IN ('retry', 'superseded') OR category IN ('verifier_fault', 'cancelled', 'unknown')
          OR (disposition = 'drop' AND category NOT IN ('completion', 'budget', 'policy_failure')), NULL,
        category = 'policy_failure', 0,
        category = 'completion', if(w = 1, floor(10 * chance * ${byTry(17)}) / 10, toFloat64(${byTry(17)} < chance)),
        toFloat64(${byTry(17)} < 0.25 * chance)) AS reward,
      is_ready AND category != 'verifier_fault' AS in_baseline,
      in_baseline AND disposition != 'train_masked' AS in_loss,
      [${[1, 2, 3, 4, 5, 6].map(wallShare).join(', ')}] AS parts,
      greatest(1, arraySum(parts) / 0.97) AS parts_over,
      toInt64(progress * ${versions}) AS weights,
      least(weights, toInt64(floor(5 * pow(${byTry(18)}, 3)))) AS lag_steps,
      ${byTry(19)} < 0.01 AS is_weightless
    FROM tried
  )
SELECT
  r, g, m, a, w, is_open,
  '${run}' AS run_id,
  if(is_eval, 'eval', 'train') AS purpose,
  ${texts(WORLDS.map(({ name }) => name))}[w] AS env_name,
  concat(env_name, '-', leftPad(toString(task), 5, '0')) AS task_id,
  toInt32(progress >= 0.5) AS epoch,
  concat(task_id, '.', toString(g)) AS group_id,
  concat(group_id, '.', toString(m), if(is_dead, '.dead', '')) AS rollout_id,
  concat('${run}/', toString(epoch), '/g/', group_id) AS unit,
  arrayJoin(if(g % ${PARTITIONS} = 0 AND first_offset >= ${restoredAt(shape)} AND r % 97 = 0, [0, 1], [0])) AS is_dead,
  multiIf(${byGroup(30)} < 0.02, NULL, ${byGroup(30)} < 0.8, 'Qwen/Qwen3-8B', 'Qwen/Qwen3-32B') AS model,
  code, category, raw, system, disposition, why, is_ready, calls, duration_us, begin_us, end_us, reward, in_baseline, in_loss, is_timeless,
  if(is_timeless, NULL, fromUnixTimestamp64Micro(begin_us, 'UTC')) AS started_at,
  if(is_timeless, NULL, fromUnixTimestamp64Micro(end_us, 'UTC')) AS ended_at,
  coalesce(started_at, fromUnixTimestamp64Micro(toInt64(0), 'UTC')) AS event_time,
  arrayMap((part) -> part / parts_over, parts) AS wall,
  if(is_weightless, NULL, toString(concat('step-', toString(weights - lag_steps)))) AS weights_min,
  if(is_weightless, NULL, toString(concat('step-', toString(weights - intDiv(lag_steps, 2))))) AS weights_max,
  if(is_weightless, NULL, lag_steps) AS lag,
  toInt64(round((200 + 400 * ${byTry(31)}) * calls * if(w IN (1, 2), 2.5, 1) * if(code = 'output_tokens', 6, 1))) AS sampled_tokens,
  sampled_tokens + 900 + toInt64(calls * 350 * (0.5 + ${byTry(32)})) AS tokens,
  toInt32(g % ${PARTITIONS}) AS partition,
  toInt64((intDiv(g, ${PARTITIONS}) * ${MEMBERS} + m) * ${stride} + a * ${tryStride}) AS first_offset,
  if(disposition IN ('retry', 'superseded'), first_offset + ${tryStride} - 1, toInt64((intDiv(g, ${PARTITIONS}) + 1) * ${MEMBERS * stride} - 1)) AS closing_offset,
  toUInt32(multiIf(g % ${PARTITIONS} > 0, 1, is_dead OR first_offset < ${restoredAt(shape)}, 1, 2)) AS term,
  intDiv(g, ${stepGroupsOf(shape)}) AS step,
  max(end_us) OVER (PARTITION BY g) + toInt64(1000000 * (1 + 4 * ${byGroup(33)})) AS closed_us,
  if(disposition IN ('retry', 'superseded'), end_us + 20000, closed_us) AS decided_us,
  countIf(in_baseline) OVER (PARTITION BY g) AS group_n,
  avgIf(reward, in_baseline) OVER (PARTITION BY g) AS group_mean,
  stddevSampIf(assumeNotNull(reward), in_baseline) OVER (PARTITION BY g) AS group_std
FROM scored
ORDER BY epoch, rollout_id, a`;
}
