-- title: Trainer feed
-- question: Are rollouts or is training the bottleneck of a run: what waits, for how long, who waits for whom, how stale is it?
-- param minutes = 10: how far back from its last lease rates and bottleneck look
-- param run: one run; empty: all
-- example: rollstream query --named trainer_feed --param run=math
--
-- States are as of now. oldest_queued_ms, queued_p50_ms: how long what is queued has been ready. ready_to_taken: of the last grant of
-- each trajectory; taken_to_acked: of those that were trained, also where a rewind took them back. trainer_idle_ms: what requests
-- that got a lease had waited for it; ready_idle_ms: what trajectories had been ready before the request that took them was made.
-- bottleneck: rollouts, where trainers waited a tenth of their time or more; training, where they did not and trajectories lay
-- longer than a lease takes; else balanced; empty: no lease yet. lag: at use, of what is trained; lag_unknown: of how many it is not
-- known. replaced: another version of it is trained in its place, or was. What a fork took over final is in its states alone.
WITH
  toInt64(if({minutes:String} = '', 10, toFloat64({minutes:String})) * 60000) AS window_ms,
  toUnixTimestamp64Milli(now64(3)) AS now_ms,
  -- Records of the ready topic that a replay wrote, of the pipelines whose lanes the store knows: its prefix is that of their steps.
  emitted AS (
    SELECT run_id, at, sipHash128(run_id, unit, rollout_id, attempt, replay_id) AS name
    FROM rollstream.replay_emitted FINAL
    WHERE ({run:String} = '' OR run_id = {run:String}) AND topic IN (
      SELECT concat(left(topic, length(topic) - length('rollout.steps')), 'trajectories.ready') FROM rollstream.lanes
      WHERE endsWith(topic, 'rollout.steps'))
  ),
  untold AS (
    SELECT
      d.run_id AS run_id,
      intDiv(toUnixTimestamp64Micro(greatest(d.decided_at, if(r.rollout_id = '', d.decided_at, r.at))), 1000) AS ready_ms
    FROM rollstream.live_decisions AS d
    LEFT JOIN (SELECT * FROM rollstream.released FINAL) AS r
      ON r.run_id = d.run_id AND r.unit = d.unit AND r.rollout_id = d.rollout_id AND r.attempt = d.attempt
    WHERE ({run:String} = '' OR d.run_id = {run:String})
      AND d.disposition IN ('train', 'train_masked', 'penalise') AND (NOT d.held OR r.rollout_id != '')
      AND sipHash128(d.run_id, d.unit, d.rollout_id, d.attempt) NOT IN
        (SELECT sipHash128(run_id, unit, rollout_id, attempt) FROM rollstream.deliveries
         WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = '')
    UNION ALL
    SELECT run_id, toUnixTimestamp64Milli(at) FROM emitted
    WHERE name NOT IN
      (SELECT sipHash128(run_id, unit, rollout_id, attempt, replay_id) FROM rollstream.deliveries
       WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id != '')
  ),
  told AS (
    SELECT
      run_id,
      state,
      recorded_state,
      lag,
      tokens,
      toUnixTimestamp64Milli(ready_at) AS ready_ms,
      toUnixTimestamp64Milli(taken_at) AS taken_ms,
      greatest(0, ifNull(taken_ms - ready_ms - ifNull(waited_ms, 0), 0)) AS lay_ms,
      if(recorded_state = 'trained', toUnixTimestamp64Milli(ended_at), NULL) AS acked_ms
    FROM rollstream.live_deliveries
    WHERE ({run:String} = '' OR run_id = {run:String})
  ),
  finals AS (
    SELECT run_id, tupleElement(one, 1) AS state, tupleElement(one, 2) AS n
    FROM (
      SELECT run_id, arrayJoin(CAST(finals, 'Array(Tuple(String, Int64))')) AS one
      FROM rollstream.lineages FINAL
      WHERE kind = 'fork' AND ({run:String} = '' OR run_id = {run:String})
    )
  ),
  states AS (
    SELECT
      run_id,
      sumIf(n, state = 'queued') AS queued,
      sumIf(n, state = 'leased') AS leased,
      sumIf(n, state = 'trained') AS trained,
      sumIf(n, state = 'expired') AS expired,
      sumIf(n, state = 'undeliverable') AS undeliverable,
      sumIf(n, state = 'trainer_rejected') AS trainer_rejected,
      sumIf(n, state = 'replaced') AS replaced
    FROM (
      SELECT run_id, 'queued' AS state, toInt64(count()) AS n FROM untold GROUP BY run_id
      UNION ALL SELECT run_id, state, toInt64(count()) FROM told GROUP BY run_id, state
      UNION ALL SELECT run_id, state, n FROM finals
    )
    GROUP BY run_id
  ),
  queue AS (
    SELECT run_id, now_ms - min(ready_ms) AS oldest, quantileExact(0.5)(now_ms - ready_ms) AS median
    FROM (SELECT run_id, ready_ms FROM untold UNION ALL SELECT run_id, ready_ms FROM told WHERE state = 'queued')
    GROUP BY run_id
  ),
  leases AS (
    SELECT
      run_id,
      waited_ms,
      toUnixTimestamp64Milli(granted_at) AS granted_ms,
      if(ended_how = 'trained', toUnixTimestamp64Milli(ended_at), NULL) AS acked_ms
    FROM rollstream.delivery_leases FINAL
    WHERE ({run:String} = '' OR run_id = {run:String})
  ),
  spans AS (
    SELECT
      run_id,
      max(greatest(granted_ms, ifNull(acked_ms, granted_ms))) AS until_ms,
      greatest(min(granted_ms - waited_ms), until_ms - window_ms) AS since_ms,
      sum(waited_ms) AS trainer_idle_ms
    FROM leases
    GROUP BY run_id
  ),
  recent AS (
    SELECT
      l.run_id AS run_id,
      sum(l.waited_ms) AS waited,
      sum(ifNull(l.acked_ms - l.granted_ms, 0)) AS busy
    FROM leases AS l
    INNER JOIN spans AS s ON s.run_id = l.run_id
    WHERE l.granted_ms >= s.since_ms
    GROUP BY run_id
  ),
  delivered AS (
    SELECT
      t.run_id AS run_id,
      quantileExactIf(0.5)(assumeNotNull(t.taken_ms) - t.ready_ms, isNotNull(t.taken_ms)) AS taken_p50,
      quantileExactIf(0.99)(assumeNotNull(t.taken_ms) - t.ready_ms, isNotNull(t.taken_ms)) AS taken_p99,
      countIf(isNotNull(t.taken_ms)) AS takes,
      quantileExactIf(0.5)(assumeNotNull(t.acked_ms) - assumeNotNull(t.taken_ms), isNotNull(t.acked_ms) AND isNotNull(t.taken_ms)) AS acked_p50,
      quantileExactIf(0.99)(assumeNotNull(t.acked_ms) - assumeNotNull(t.taken_ms), isNotNull(t.acked_ms) AND isNotNull(t.taken_ms)) AS acked_p99,
      countIf(isNotNull(t.acked_ms) AND isNotNull(t.taken_ms)) AS acks,
      sum(t.lay_ms) AS ready_idle_ms,
      avgIf(t.lay_ms, isNotNull(t.taken_ms) AND t.taken_ms >= s.since_ms) AS lay,
      avgIf(assumeNotNull(t.acked_ms) - assumeNotNull(t.taken_ms), isNotNull(t.acked_ms) AND isNotNull(t.taken_ms) AND t.taken_ms >= s.since_ms) AS held,
      countIf(ifNull(t.acked_ms >= s.since_ms, false)) AS recent_trajectories,
      sumIf(t.tokens, ifNull(t.acked_ms >= s.since_ms, false)) AS recent_tokens,
      minIf(t.lag, t.state = 'trained') AS lag_min,
      avgIf(t.lag, t.state = 'trained') AS lag_mean,
      maxIf(t.lag, t.state = 'trained') AS lag_max,
      countIf(t.state = 'trained' AND isNull(t.lag)) AS lag_unknown
    FROM told AS t
    LEFT JOIN spans AS s ON s.run_id = t.run_id
    GROUP BY run_id
  )
SELECT
  n.run_id AS run_id,
  multiIf(
    p.run_id = '', '',
    c.waited > 0 AND c.waited * 10 >= c.waited + c.busy, 'rollouts',
    d.lay > d.held, 'training',
    'balanced') AS bottleneck,
  n.queued AS queued,
  n.leased AS leased,
  n.trained AS trained,
  n.expired AS expired,
  n.undeliverable AS undeliverable,
  n.trainer_rejected AS trainer_rejected,
  n.replaced AS replaced,
  if(q.run_id = '', NULL, q.oldest) AS oldest_queued_ms,
  if(q.run_id = '', NULL, q.median) AS queued_p50_ms,
  if(d.takes = 0, NULL, d.taken_p50) AS ready_to_taken_p50_ms,
  if(d.takes = 0, NULL, d.taken_p99) AS ready_to_taken_p99_ms,
  if(d.acks = 0, NULL, d.acked_p50) AS taken_to_acked_p50_ms,
  if(d.acks = 0, NULL, d.acked_p99) AS taken_to_acked_p99_ms,
  p.trainer_idle_ms AS trainer_idle_ms,
  d.ready_idle_ms AS ready_idle_ms,
  if(p.until_ms > p.since_ms, d.recent_trajectories * 1000 / (p.until_ms - p.since_ms), NULL) AS trajectories_per_s,
  if(p.until_ms > p.since_ms, d.recent_tokens * 1000 / (p.until_ms - p.since_ms), NULL) AS tokens_per_s,
  if(p.run_id = '', NULL, fromUnixTimestamp64Milli(p.until_ms, 'UTC')) AS last_lease_at,
  d.lag_min AS lag_min,
  d.lag_mean AS lag_mean,
  d.lag_max AS lag_max,
  d.lag_unknown AS lag_unknown
FROM states AS n
LEFT JOIN queue AS q ON q.run_id = n.run_id
LEFT JOIN spans AS p ON p.run_id = n.run_id
LEFT JOIN recent AS c ON c.run_id = n.run_id
LEFT JOIN delivered AS d ON d.run_id = n.run_id
ORDER BY run_id
