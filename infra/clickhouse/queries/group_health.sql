-- title: Group health
-- question: Are groups whole: complete, partial, without spread, or lost?
-- param run: one run; empty: all
-- example: rollstream query --named group_health --param run=math
--
-- Of groups of runs for training of which something was decided. complete: as many members went to ready as the group was to have;
-- partial: fewer, as with a deadline or a fault; rejected: none; open: it waits for members; unsized: something went to ready, and
-- nobody said how many there were to be. They sum to groups. zero_variance: two or more in the baseline, all with one reward (within
-- 1e-9), or filtered for it. mean_size: members, each rollout once. mean_reward, mean_spread (largest minus smallest): of the rewards
-- of a group that count in its baseline, the mean over groups that have any, null without. out_of_baseline: members whose last word
-- is neither superseded nor retry, and whose reward does not count in a baseline.
WITH
  waiting AS (
    SELECT DISTINCT arrayJoin(`open.unit`) AS unit FROM rollstream.lanes FINAL
  ),
  by_unit AS (
    SELECT
      run_id,
      unit,
      any(env_name) AS env,
      any(group_size) AS expected,
      uniqExact(rollout_id) AS members,
      countIf(disposition IN ('train', 'train_masked', 'penalise')) AS ready,
      countIf(disposition NOT IN ('retry', 'superseded') AND NOT counted) AS outside,
      countIf(counted) AS n,
      avgIf(assumeNotNull(reward), counted) AS mean,
      minIf(assumeNotNull(reward), counted) AS lowest,
      maxIf(assumeNotNull(reward), counted) AS highest,
      max(has(why, 'zero_variance')) AS isFiltered
    FROM (
      SELECT *, reward_valid AND isNotNull(reward) AND (in_baseline OR has(why, 'zero_variance')) AS counted
      FROM rollstream.live_decisions
      WHERE ({run:String} = '' OR run_id = {run:String}) AND purpose = 'train' AND isNotNull(group_id)
    )
    GROUP BY run_id, unit
  )
SELECT
  run_id,
  env AS env_name,
  count() AS groups,
  countIf(book = 'complete') AS complete,
  countIf(book = 'partial') AS partial,
  countIf(book = 'rejected') AS rejected,
  countIf(book = 'open') AS open,
  countIf(book = 'unsized') AS unsized,
  countIf(isFiltered OR (n > 1 AND highest - lowest <= 1e-9 * greatest(1, abs(lowest), abs(highest)))) AS zero_variance,
  avg(members) AS mean_size,
  if(countIf(n > 0) = 0, NULL, avgIf(mean, n > 0)) AS mean_reward,
  if(countIf(n > 0) = 0, NULL, avgIf(highest - lowest, n > 0)) AS mean_spread,
  sum(outside) AS out_of_baseline
FROM (
  SELECT *, multiIf(
    unit IN (SELECT unit FROM waiting), 'open',
    ready = 0, 'rejected',
    isNull(expected), 'unsized',
    ready >= expected, 'complete',
    'partial') AS book
  FROM by_unit
)
GROUP BY run_id, env_name
ORDER BY run_id, env_name
