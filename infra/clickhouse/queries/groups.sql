-- title: Groups
-- question: Which groups are in trouble: open, in part, or without spread?
-- param env: one environment; empty: all
-- param limit = 200: how many groups
-- param run: one run; empty: all
-- example: rollstream query --named groups --param run=math
--
-- Of groups of runs for training of which something was decided, the worst first: with the fewest of the members expected in the
-- loss, then those without spread. expected: null, nobody said. members: rollouts of which something was decided. state as in
-- group_health. reward_mean and reward_std (n - 1 in the denominator, null of fewer than two) are of the rewards that count in the
-- baseline, and those of a group that was filtered for its want of spread. first_ready_at: when the first member was decided that
-- went to ready; null: none did, or the gate holds it.
WITH
  waiting AS (
    SELECT DISTINCT arrayJoin(`open.unit`) AS unit FROM rollstream.lanes FINAL
  )
SELECT
  run_id,
  env AS env_name,
  unit,
  group_name AS group_id,
  task AS task_id,
  expected,
  members,
  in_loss,
  in_baseline,
  multiIf(
    unit IN (SELECT unit FROM waiting), 'open',
    ready = 0, 'rejected',
    isNull(expected), 'unsized',
    ready >= expected, 'complete',
    'partial') AS state,
  if(n = 0, NULL, mean) AS reward_mean,
  if(n < 2, NULL, std) AS reward_std,
  CAST(isFiltered OR (n > 1 AND highest - lowest <= 1e-9 * greatest(1, abs(lowest), abs(highest))), 'Bool') AS is_zero_variance,
  first_at AS first_ready_at
FROM (
  SELECT
    run_id,
    unit,
    any(env_name) AS env,
    any(group_id) AS group_name,
    any(task_id) AS task,
    any(group_size) AS expected,
    uniqExact(rollout_id) AS members,
    countIf(d.in_loss) AS in_loss,
    countIf(d.in_baseline) AS in_baseline,
    countIf(disposition IN ('train', 'train_masked', 'penalise')) AS ready,
    countIf(counted) AS n,
    avgIf(assumeNotNull(reward), counted) AS mean,
    stddevSampIf(assumeNotNull(reward), counted) AS std,
    minIf(assumeNotNull(reward), counted) AS lowest,
    maxIf(assumeNotNull(reward), counted) AS highest,
    max(has(why, 'zero_variance')) AS isFiltered,
    minIf(toNullable(decided_at), disposition IN ('train', 'train_masked', 'penalise') AND NOT held) AS first_at
  FROM (
    SELECT *, reward_valid AND isNotNull(reward) AND (in_baseline OR has(why, 'zero_variance')) AS counted
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND ({env:String} = '' OR env_name = {env:String})
      AND purpose = 'train' AND isNotNull(group_id)
  ) AS d
  GROUP BY run_id, unit
)
ORDER BY if(ifNull(expected, 0) = 0, 1 - in_loss / members, 1 - in_loss / expected) DESC, is_zero_variance DESC, run_id, unit
LIMIT toUInt64({limit:String})
