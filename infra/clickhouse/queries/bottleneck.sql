-- title: Bottleneck
-- question: Which layer blocks rollouts, in one sentence by environment and worker?
-- param run: one run; empty: all
-- example: rollstream query --named bottleneck --param run=math
--
-- attempts: those of whose wall clock, start to end, each part is known; shares are of it, where of two parts at once the first of
-- model, tools, sandbox, … counts (as in phases). actor: the worker, where producers tell it as recorders do; else empty.
-- loop_share: how late the event loop was when it was looked at; null: nobody looked. blocks: the largest of the five, empty where
-- none is above 0. per_hour: attempts that ended between the first start and the last end, an hour; null: all at one moment.
-- in_flight: the most rollouts of a producer at once; best_in_flight: of the environment, where a doubling step of in_flight (1, 2 to 3,
-- 4 to 7, …) had the highest throughput by Little's law, its lower end; null: not told, or of one step only.
WITH
  told AS (
    SELECT
      sipHash128(run_id, unit, rollout_id, attempt) AS name,
      any(run_id) AS run,
      any(env_name) AS env,
      max(JSONExtract(assumeNotNull(extra_json), 'producer', 'in_flight', 'Nullable(UInt32)')) AS in_flight,
      maxIf(JSONExtract(assumeNotNull(extra_json), 'producer', 'actor', 'Nullable(String)'), kind = 'end') AS actor,
      maxIf(JSONExtract(assumeNotNull(extra_json), 'producer', 'loop_lag_ms', 'mean', 'Nullable(Float64)')
        * JSONExtract(assumeNotNull(extra_json), 'producer', 'loop_lag_ms', 'n', 'Nullable(UInt64)'), kind = 'end') AS late_ms,
      maxIf(if(duration_us > 0, duration_us, NULL), kind = 'end') / 1000 AS took_ms
    FROM rollstream.live_steps
    WHERE ({run:String} = '' OR run_id = {run:String}) AND kind IN ('start', 'end') AND JSONHas(ifNull(extra_json, ''), 'producer')
    GROUP BY name
  ),
  best AS (
    SELECT run, env, if(count() < 2, NULL, argMax(level, (per_hour, -level))) AS best_in_flight
    FROM (
      SELECT
        run,
        env,
        toUInt32(exp2(floor(log2(assumeNotNull(in_flight))))) AS level,
        avg(in_flight) * 3600000 / avg(took_ms) AS per_hour
      FROM told
      WHERE in_flight > 0 AND isNotNull(took_ms)
      GROUP BY run, env, level
    )
    GROUP BY run, env
  ),
  summed AS (
    SELECT
      t.run_id AS run_id,
      t.env_name AS env_name,
      ifNull(p.actor, '') AS actor,
      count() AS attempts,
      sum(t.wall_ms['total']) AS wall,
      sum(t.wall_ms['model']) AS model_ms,
      sum(t.wall_ms['tool_wait']) AS tools_ms,
      sum(t.wall_ms['sandbox_setup'] + t.wall_ms['agent_setup']) AS sandbox_ms,
      sum(t.wall_ms['rate_limit']) AS limited_ms,
      sum(p.late_ms) / sumIf(p.took_ms, isNotNull(p.late_ms)) AS late_share,
      toUnixTimestamp64Micro(max(t.ended_at)) - toUnixTimestamp64Micro(min(t.started_at)) AS span_us,
      max(p.in_flight) AS most_in_flight
    FROM rollstream.live_trajectories AS t
    LEFT JOIN told AS p ON p.name = sipHash128(t.run_id, t.unit, t.rollout_id, t.attempt)
    WHERE ({run:String} = '' OR t.run_id = {run:String}) AND mapContains(t.wall_ms, 'total')
    GROUP BY run_id, env_name, actor
  )
SELECT * EXCEPT (largest)
FROM (
  SELECT
    s.run_id AS run_id,
    s.env_name AS env_name,
    s.actor AS actor,
    s.attempts AS attempts,
    if(s.span_us > 0, s.attempts * 3600000000 / s.span_us, NULL) AS per_hour,
    s.most_in_flight AS in_flight,
    b.best_in_flight AS best_in_flight,
    if(s.wall = 0, NULL, s.model_ms / s.wall) AS model_share,
    if(s.wall = 0, NULL, s.tools_ms / s.wall) AS tools_share,
    if(s.wall = 0, NULL, s.sandbox_ms / s.wall) AS sandbox_share,
    if(s.wall = 0, NULL, s.limited_ms / s.wall) AS rate_limit_share,
    s.late_share AS loop_share,
    arraySort(layer -> -layer.1, [
      (ifNull(model_share, 0), 'model', 'model calls'),
      (ifNull(tools_share, 0), 'tools', 'tools'),
      (ifNull(sandbox_share, 0), 'sandbox', 'sandboxes'),
      (ifNull(rate_limit_share, 0), 'rate_limit', 'rate limits'),
      (ifNull(loop_share, 0), 'loop', 'their own event loop')
    ])[1] AS largest,
    if(largest.1 > 0, largest.2, '') AS blocks,
    if(blocks = '', 'Nothing says what rollouts wait for.',
      concat('Rollouts spend ', toString(round(largest.1 * 100)), ' % of their wall clock on ', largest.3,
        if(isNull(best_in_flight) OR isNull(in_flight), '.',
          concat('; ', toString(ifNull(in_flight, 0)), ' were in flight at most, and throughput was best from ', toString(ifNull(best_in_flight, 0)), '.')))) AS sentence
  FROM summed AS s
  LEFT JOIN best AS b ON b.run = s.run_id AND b.env = s.env_name
)
ORDER BY run_id, env_name, actor
