-- title: Phases
-- question: Where does the time of rollouts go: model, tools, sandboxes, rate limits, weight sync, or nothing known?
-- param run: one run; empty: all
-- example: rollstream query --named phases --param run=math
--
-- Of assembled attempts, whatever became of them; a superseded one is not assembled. attempts: those that spent time on the phase,
-- and sum, p50 and p95 are over them. share: of the wall clock, start to end, of the attempts whose events have a time each, where of
-- two phases at once the first of model, tool_wait, … counts; null: no attempt of the environment has such a wall clock, or the
-- phase follows the end (verify, cleanup, trainer_wait). other: what no event explains. Where events give durations alone the sums
-- count parallel work as often as it ran.
SELECT
  run_id,
  env_name,
  phase,
  attempts,
  sum_ms,
  quantiles[1] AS p50_ms,
  quantiles[2] AS p95_ms,
  if(phase IN ('verify', 'cleanup', 'trainer_wait') OR wall_ms = 0, NULL, timed_ms / wall_ms) AS share
FROM (
  SELECT
    run_id,
    env_name,
    part.1 AS phase,
    count() AS attempts,
    sum(part.2) AS sum_ms,
    sumIf(part.2, has_wall) AS timed_ms,
    quantilesExact(0.5, 0.95)(part.2) AS quantiles,
    sum(if(phase = 'total', timed_ms, 0)) OVER (PARTITION BY run_id, env_name) AS wall_ms
  FROM (
    SELECT run_id, env_name, mapContains(wall_ms, 'total') AS has_wall, arrayJoin(CAST(wall_ms, 'Array(Tuple(String, Float64))')) AS part
    FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String})
  )
  GROUP BY run_id, env_name, phase
)
WHERE phase != 'total'
ORDER BY run_id, env_name, sum_ms DESC, phase
