-- title: Waits
-- question: Does the trainer wait for rollouts, or do rollouts wait for the trainer?
-- param run: one run; empty: all
-- example: rollstream query --named waits --param run=math
--
-- Over the whole run; trainer_feed looks at its last minutes. trainer_wait_ms: what requests that got a lease had waited for it;
-- trainer_busy_ms: from the grant of leases until they were acked as trained; ready_wait_ms: what trajectories had been ready before
-- the request that took them was made; rollout_ms: wall clock of decided attempts by their source. Of work in parallel each counts.
-- null: there was none to measure. who_waits: trainer, where it waited a tenth of its time or more; rollouts, where it did not, and
-- trajectories lay longer than a lease takes; else balanced; empty: no lease yet.
SELECT
  r.run_id AS run_id,
  l.waited AS trainer_wait_ms,
  l.busy AS trainer_busy_ms,
  d.lay AS ready_wait_ms,
  r.wall AS rollout_ms,
  multiIf(
    l.leases = 0, '',
    ifNull(l.waited, 0) > 0 AND ifNull(l.waited, 0) * 10 >= ifNull(l.waited, 0) + ifNull(l.busy, 0), 'trainer',
    ifNull(d.mean_lay > d.mean_held, false), 'rollouts',
    'balanced') AS who_waits
FROM (
  SELECT run_id, max(wall_ms) AS wall
  FROM (
    SELECT
      run_id,
      sumIf(toNullable((toUnixTimestamp64Micro(assumeNotNull(ended_at)) - toUnixTimestamp64Micro(assumeNotNull(started_at))) / 1000),
        isNotNull(started_at) AND isNotNull(ended_at) AND ended_at >= started_at) AS wall_ms
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String})
    GROUP BY run_id
    UNION ALL
    SELECT DISTINCT run_id, NULL FROM rollstream.delivery_leases FINAL WHERE ({run:String} = '' OR run_id = {run:String})
  )
  GROUP BY run_id
) AS r
LEFT JOIN (
  SELECT
    run_id,
    count() AS leases,
    toNullable(sum(waited_ms)) AS waited,
    sumIf(toUnixTimestamp64Milli(ended_at) - toUnixTimestamp64Milli(granted_at), ended_how = 'trained') AS busy
  FROM rollstream.delivery_leases FINAL
  WHERE ({run:String} = '' OR run_id = {run:String})
  GROUP BY run_id
) AS l ON l.run_id = r.run_id
LEFT JOIN (
  SELECT
    run_id,
    sum(lay_ms) AS lay,
    avg(lay_ms) AS mean_lay,
    avg(held_ms) AS mean_held
  FROM (
    SELECT
      run_id,
      greatest(0, toUnixTimestamp64Milli(taken_at) - toUnixTimestamp64Milli(ready_at) - ifNull(waited_ms, 0)) AS lay_ms,
      if(recorded_state = 'trained', toUnixTimestamp64Milli(ended_at) - toUnixTimestamp64Milli(taken_at), NULL) AS held_ms
    FROM rollstream.live_deliveries
    WHERE ({run:String} = '' OR run_id = {run:String}) AND isNotNull(taken_at)
  )
  GROUP BY run_id
) AS d ON d.run_id = r.run_id
ORDER BY run_id
