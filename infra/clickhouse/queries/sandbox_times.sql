-- title: Sandbox times
-- question: How long do sandboxes take to come and to go, and how often do they fail?
-- param run: one run; empty: all
-- example: rollstream query --named sandbox_times --param run=math
--
-- Of phase events, whatever became of their attempt. count: events; failed: those with an error. Times are the producer's: the
-- duration, else end minus start; measured: how many events have one; quantiles and max are over those, null without any.
SELECT
  run_id,
  env_name,
  phase,
  count() AS count,
  count(us) AS measured,
  if(measured = 0, NULL, quantileExactIf(0.5)(assumeNotNull(us), isNotNull(us)) / 1000) AS p50_ms,
  if(measured = 0, NULL, quantileExactIf(0.95)(assumeNotNull(us), isNotNull(us)) / 1000) AS p95_ms,
  max(us) / 1000 AS max_ms,
  countIf(has_error) AS failed
FROM (
  SELECT
    run_id,
    env_name,
    toString(phase) AS phase,
    has_error,
    coalesce(duration_us, toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at)) AS told_us,
    if(told_us >= 0, told_us, NULL) AS us
  FROM rollstream.live_steps
  WHERE ({run:String} = '' OR run_id = {run:String})
    AND kind = 'phase' AND phase IN ('sandbox_setup', 'agent_setup', 'cleanup')
)
GROUP BY run_id, env_name, phase
ORDER BY run_id, env_name, phase DESC
