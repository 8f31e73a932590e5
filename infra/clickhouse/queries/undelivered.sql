-- title: Undelivered
-- question: What was ready and no trainer will get, by reason and lag?
-- param run: one run; empty: all
-- example: rollstream query --named undelivered --param run=math
--
-- expired: too old when it was taken; undeliverable: taken too often without an end, or its payload is not there; trainer_rejected: a
-- trainer refused it, or weights that are no more sampled it. None of it comes back, whatever is rewound. lag: versions behind when
-- it was decided, null: unknown. What a fork took over final is not there: accounting has its number.
-- Nor is what was replaced: another version of it is trained, or was.
SELECT
  d.run_id AS run_id,
  d.state AS state,
  d.reason AS reason,
  e.lag AS lag,
  count() AS trajectories,
  sum(d.tokens) AS tokens,
  uniqExact(d.unit) AS units,
  max(d.deliveries) AS most_deliveries,
  min(d.at) AS first_at,
  max(d.at) AS last_at,
  argMax(d.rollout_id, d.version) AS last_rollout
FROM rollstream.live_deliveries AS d
LEFT JOIN (
  SELECT unit, rollout_id, attempt, lag FROM rollstream.live_decisions
  WHERE unit IN (
    SELECT unit FROM rollstream.deliveries
    WHERE ({run:String} = '' OR run_id = {run:String}) AND state IN ('expired', 'undeliverable', 'trainer_rejected'))
) AS e ON e.unit = d.unit AND e.rollout_id = d.rollout_id AND e.attempt = d.attempt
WHERE ({run:String} = '' OR d.run_id = {run:String}) AND d.state IN ('expired', 'undeliverable', 'trainer_rejected')
GROUP BY run_id, state, reason, lag
ORDER BY run_id, trajectories DESC, state, reason, lag
