-- title: Unknown reasons
-- question: Which raw reasons does the taxonomy leave unknown, the most frequent first?
-- param run: one run; empty: all
-- example: rollstream query --named unknown_reasons --param run=math
--
-- `attempts` ended so; `rate` is their share of the attempts of the run that were decided, those that a higher attempt
-- superseded left out. An end that gave no reason at all stands under an empty system. `example` is one of the rollouts.
WITH
  decided AS (
    SELECT run_id, count() AS n FROM rollstream.live_trajectories WHERE ({run:String} = '' OR run_id = {run:String}) GROUP BY run_id
  ),
  said AS (
    SELECT
      run_id,
      rollout_id,
      taxonomy_id,
      started_at,
      arrayJoin(arrayDistinct(if(
        empty(`reasons.code`) AND category = 'unknown',
        [('', '')],
        arrayMap(
          (code, system, raw) -> (system, raw),
          arrayFilter((code) -> code = 'unknown', `reasons.code`),
          arrayFilter((system, code) -> code = 'unknown', `reasons.system`, `reasons.code`),
          arrayFilter((raw, code) -> code = 'unknown', `reasons.raw`, `reasons.code`)
        )
      ))) AS reason
    FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String})
  )
SELECT
  s.run_id AS run_id,
  s.reason.1 AS system,
  s.reason.2 AS raw,
  count() AS attempts,
  count() / any(d.n) AS rate,
  min(s.started_at) AS first_started_at,
  max(s.started_at) AS last_started_at,
  any(s.rollout_id) AS example,
  arraySort(groupUniqArray(s.taxonomy_id)) AS taxonomy_ids
FROM said AS s
INNER JOIN decided AS d ON d.run_id = s.run_id
GROUP BY run_id, system, raw
ORDER BY rate DESC, attempts DESC, run_id, system, raw
