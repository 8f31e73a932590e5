-- title: Lifetime wall
-- question: Where did the time of each rollout go, from its start to the step that trained it?
-- param run: one run; empty: all
-- example: rollstream query --named lifetime_wall --param run=math
--
-- parts: the rollout's own, by part; empty where its source gives no times. verify_ms, cleanup_ms: phases after the end, the
-- union of each. decided_after_ms: from its end to the record that closed it, verifier and group included, by the clocks of
-- source and log, and so null where they disagree. held_ms: from there until the gate let it go; null: it was not held, or still
-- is. taken_after_ms: from ready until a lease took it; trainer_wait_ms: from ready until the step that trained it was acked, in the
-- history of the trainer that survives. Where no lease took it, trainer_wait_ms is what a phase of its producer says; null: neither
-- does. What is unknown is null, not 0.
WITH
  phases AS (
    SELECT
      s.run_id AS run_id,
      s.unit AS unit,
      s.rollout_id AS rollout_id,
      s.attempt AS attempt,
      s.phase AS phase,
      toUnixTimestamp64Micro(assumeNotNull(s.started_at)) AS from_us,
      from_us + assumeNotNull(coalesce(s.duration_us, toUnixTimestamp64Micro(s.ended_at) - from_us)) AS to_us,
      toUnixTimestamp64Micro(assumeNotNull(d.ended_at)) AS end_us
    FROM rollstream.live_steps AS s
    INNER JOIN rollstream.live_decisions AS d
      ON d.run_id = s.run_id AND d.unit = s.unit AND d.rollout_id = s.rollout_id AND d.attempt = s.attempt
    WHERE ({run:String} = '' OR s.run_id = {run:String})
      AND s.kind = 'phase' AND s.phase IN ('verify', 'cleanup', 'trainer_wait')
      AND isNotNull(s.started_at) AND isNotNull(d.ended_at)
      AND (isNotNull(s.duration_us) OR isNotNull(s.ended_at))
  ),
  later AS (
    SELECT
      run_id,
      unit,
      rollout_id,
      attempt,
      phase,
      arraySort(groupArray((greatest(from_us, end_us), to_us))) AS spans,
      arrayMap(i -> arrayMax(arrayMap(one -> one.2, arraySlice(spans, 1, i))), arrayEnumerate(spans)) AS reached,
      arraySum((one, i) -> greatest(0, one.2 - greatest(one.1, if(i = 1, one.1, reached[i - 1]))), spans, arrayEnumerate(spans)) / 1000 AS ms
    FROM phases
    WHERE to_us > end_us
    GROUP BY run_id, unit, rollout_id, attempt, phase
  ),
  by_attempt AS (
    SELECT
      run_id,
      unit,
      rollout_id,
      attempt,
      mapFromArrays(groupArray(toString(phase)), groupArray(ms)) AS after
    FROM later
    GROUP BY run_id, unit, rollout_id, attempt
  )
SELECT
  d.run_id AS run_id,
  d.rollout_id AS rollout_id,
  d.attempt AS attempt,
  d.disposition AS disposition,
  if(isNull(d.started_at) OR isNull(d.ended_at) OR d.ended_at < d.started_at, NULL,
    (toUnixTimestamp64Micro(d.ended_at) - toUnixTimestamp64Micro(d.started_at)) / 1000) AS rollout_ms,
  mapFilter((part, ms) -> part NOT IN ('total', 'verify', 'cleanup', 'trainer_wait'), t.wall_ms) AS parts,
  if(mapContains(a.after, 'verify'), a.after['verify'], NULL) AS verify_ms,
  if(mapContains(a.after, 'cleanup'), a.after['cleanup'], NULL) AS cleanup_ms,
  if(isNull(d.ended_at) OR d.decided_at < d.ended_at, NULL,
    (toUnixTimestamp64Micro(d.decided_at) - toUnixTimestamp64Micro(d.ended_at)) / 1000) AS decided_after_ms,
  if(r.rollout_id = '' OR r.at < d.decided_at, NULL,
    (toUnixTimestamp64Micro(r.at) - toUnixTimestamp64Micro(d.decided_at)) / 1000) AS held_ms,
  if(isNull(v.taken_at), NULL, toUnixTimestamp64Milli(v.taken_at) - toUnixTimestamp64Milli(v.ready_at)) AS taken_after_ms,
  multiIf(
    v.state = 'trained' AND isNotNull(v.ended_at), toFloat64(toUnixTimestamp64Milli(v.ended_at) - toUnixTimestamp64Milli(v.ready_at)),
    v.rollout_id = '' AND mapContains(a.after, 'trainer_wait'), toFloat64(a.after['trainer_wait']),
    NULL) AS trainer_wait_ms
FROM rollstream.live_decisions AS d
LEFT JOIN rollstream.live_trajectories AS t
  ON t.run_id = d.run_id AND t.unit = d.unit AND t.rollout_id = d.rollout_id AND t.attempt = d.attempt
LEFT JOIN by_attempt AS a
  ON a.run_id = d.run_id AND a.unit = d.unit AND a.rollout_id = d.rollout_id AND a.attempt = d.attempt
LEFT JOIN (SELECT * FROM rollstream.released FINAL) AS r
  ON r.run_id = d.run_id AND r.unit = d.unit AND r.rollout_id = d.rollout_id AND r.attempt = d.attempt
LEFT JOIN rollstream.live_deliveries AS v
  ON v.run_id = d.run_id AND v.unit = d.unit AND v.rollout_id = d.rollout_id AND v.attempt = d.attempt
WHERE ({run:String} = '' OR d.run_id = {run:String})
ORDER BY run_id, rollout_id, attempt
