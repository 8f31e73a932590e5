-- title: Blame: steps
-- question: Which steps has a trainer made, of how many trajectories?
-- param step: one step; empty: all
-- param run: one run; empty: all
-- example: rollstream query --named blame_steps --param run=math
--
-- Of the surviving history: what a rewind took back is not there. What a fork took over is in the steps that trained it, under the
-- fork's name, as far as it has rows. lag_max: at use; null: unknown of all. first_acked_at, last_acked_at: when they were acked.
SELECT
  run_id,
  step,
  max(lineage) AS lineage,
  count() AS trajectories,
  sum(tokens) AS tokens,
  max(lag) AS lag_max,
  min(ended_at) AS first_acked_at,
  max(ended_at) AS last_acked_at
FROM rollstream.live_deliveries
WHERE ({run:String} = '' OR run_id = {run:String}) AND state = 'trained'
  AND ({step:String} = '' OR step = accurateCast(if({step:String} = '', '0', {step:String}), 'Int64'))
GROUP BY run_id, step
ORDER BY run_id, step
