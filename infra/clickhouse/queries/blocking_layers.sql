-- title: Blocking layers
-- question: Which layer do rollouts wait for, by environment and worker: model, tools, sandboxes, rate limits, or their own event loop?
-- param run: one run; empty: all
-- example: rollstream query --named blocking_layers --param run=math
--
-- Of attempts whose producer told how it was doing when they ended, as recorders do.
-- Shares are of the wall clock of the rollouts, start to end, by the producer's clock. Parallel calls and tools count each, so
-- that a share may exceed 1; null: there were some, and none was measured. loop_share: how late the loop was when it was looked
-- at, as a share of the wall clock; what is late is within the other shares, too. sandbox: set-up of sandbox and agent.
-- other_share: what no event explains, 0 at least. blocks: the largest of the five. loop_lag_ms is a mean over samples, null
-- where no event loop ran; sandbox_s: mean life of a sandbox; in_flight: the most rollouts of a producer at once.
WITH
  ended AS (
    SELECT
      run_id, unit, rollout_id, attempt, env_name,
      JSONExtract(assumeNotNull(extra_json), 'producer', 'Tuple(actor Nullable(String), in_flight Nullable(UInt32), sandbox_us Nullable(Int64))') AS told,
      JSONExtract(assumeNotNull(extra_json), 'producer', 'loop_lag_ms', 'Tuple(mean Nullable(Float64), max Nullable(Float64), n Nullable(UInt64))') AS lag,
      assumeNotNull(duration_us) AS wall_us
    FROM rollstream.live_steps
    WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'end' AND duration_us > 0 AND JSONHas(ifNull(extra_json, ''), 'producer')
  ),
  spent AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      if(countIf(kind = 'model_call') = 0, 0, sumIf(coalesce(duration_us, server_e2e_us), kind = 'model_call')) AS model_us,
      if(countIf(kind = 'tool_result') = 0, 0, sumIf(coalesce(duration_us, wait_us + exec_us, exec_us, wait_us), kind = 'tool_result')) AS tools_us,
      if(countIf(phase IN ('sandbox_setup', 'agent_setup')) = 0, 0, sumIf(duration_us, phase IN ('sandbox_setup', 'agent_setup'))) AS setup_us,
      if(countIf(phase = 'rate_limit') = 0, 0, sumIf(duration_us, phase = 'rate_limit')) AS limited_us
    FROM rollstream.live_steps
    WHERE seq >= 0 AND kind IN ('model_call', 'tool_result', 'phase')
      AND (run_id, unit, rollout_id, attempt) IN (SELECT run_id, unit, rollout_id, attempt FROM ended)
    GROUP BY run_id, unit, rollout_id, attempt
  ),
  summed AS (
    SELECT
      e.run_id AS run_id,
      e.env_name AS env_name,
      ifNull(e.told.actor, '') AS actor,
      count() AS attempts,
      sum(e.wall_us) AS wall_us,
      sum(s.model_us) / wall_us AS model_share,
      sum(s.tools_us) / wall_us AS tools_share,
      sum(s.setup_us) / wall_us AS sandbox_share,
      sum(s.limited_us) / wall_us AS rate_limit_share,
      sum(e.lag.mean * e.lag.n) * 1000 / sumIf(e.wall_us, isNotNull(e.lag.mean)) AS loop_share,
      greatest(0, 1 - ifNull(model_share, 0) - ifNull(tools_share, 0) - ifNull(sandbox_share, 0) - ifNull(rate_limit_share, 0)) AS other_share,
      sum(e.lag.mean * e.lag.n) / sum(e.lag.n) AS loop_lag_ms,
      max(e.lag.max) AS worst_loop_lag_ms,
      avg(e.told.sandbox_us) / 1000000 AS sandbox_s,
      max(e.told.in_flight) AS in_flight
    FROM ended AS e
    LEFT JOIN spent AS s ON s.run_id = e.run_id AND s.unit = e.unit AND s.rollout_id = e.rollout_id AND s.attempt = e.attempt
    GROUP BY run_id, env_name, actor
  )
SELECT
  run_id,
  env_name,
  actor,
  attempts,
  wall_us / attempts / 1000000 AS mean_wall_s,
  arraySort((layer) -> -layer.1, [
    (ifNull(model_share, 0), 'model'), (ifNull(tools_share, 0), 'tools'), (ifNull(sandbox_share, 0), 'sandbox'),
    (ifNull(rate_limit_share, 0), 'rate_limit'), (ifNull(loop_share, 0), 'loop')
  ])[1] AS largest,
  if(largest.1 > 0, largest.2, '') AS blocks,
  model_share,
  tools_share,
  sandbox_share,
  rate_limit_share,
  loop_share,
  other_share,
  loop_lag_ms,
  worst_loop_lag_ms,
  sandbox_s,
  in_flight
FROM summed
ORDER BY run_id, env_name, actor
