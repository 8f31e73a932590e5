-- title: Pass at k
-- question: How likely is at least one of k answers right, by environment and weights version?
-- param pass = 1: smallest reward that passes
-- param k = 1,2,4,8: how many answers, several of them with commas
-- param run: one run; empty: all
-- example: rollstream query --named pass_at_k --param run=math --param k=1,8
--
-- The unbiased estimate of Chen et al. 2021 (arXiv:2107.03374): of a task with n attempts with a valid reward, c of which pass,
-- 1 - C(n-c, k) / C(n, k); the mean over the tasks with n of k or more. tasks: how many those are; attempts: theirs. pass_at_k is
-- null where no task has so many. purpose: eval and synthesis stand apart from train. weights_version: the oldest that sampled;
-- null: unknown. A fault has no valid reward, and says nothing about a task.
WITH
  scored AS (
    SELECT
      run_id,
      purpose,
      env_name,
      weights_version_min AS weights_version,
      count() AS n,
      countIf(assumeNotNull(reward) >= if({pass:String} = '', 1, toFloat64({pass:String}))) AS c
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND reward_valid AND isNotNull(reward) AND disposition != 'superseded'
    GROUP BY run_id, purpose, env_name, weights_version, task_id
  )
SELECT
  run_id,
  purpose,
  env_name,
  weights_version,
  sum(isLarge * m) AS tasks,
  sum(isLarge * m * n) AS attempts,
  k,
  -- C(n-c, k) / C(n, k) as a product of k factors: no term of it is large. It is 0 where fewer than k fail.
  if(tasks = 0, NULL, 1 - sumIf(m * if(n - c < k, 0, arrayProduct(i -> (n - c - i) / (n - i), range(least(k, n)))), isLarge) / tasks) AS pass_at_k
FROM (
  SELECT run_id, purpose, env_name, weights_version, n, c, count() AS m, arrayJoin(arraySort(arrayDistinct(arrayFilter(
    one -> one > 0, arrayMap(part -> toUInt32OrZero(trimBoth(part)), splitByChar(',', if({k:String} = '', '1,2,4,8', {k:String}))))))) AS k, n >= k AS isLarge
  FROM scored
  GROUP BY run_id, purpose, env_name, weights_version, n, c
)
GROUP BY run_id, purpose, env_name, weights_version, k
ORDER BY run_id, purpose, env_name, weights_version ASC NULLS LAST, k
