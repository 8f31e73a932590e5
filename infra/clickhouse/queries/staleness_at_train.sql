-- title: Staleness at training
-- question: How old were the weights that sampled what each step trained on?
-- param run: one run; empty: all
-- example: rollstream query --named staleness_at_train --param run=math
--
-- Of trajectories that a step of the surviving history trained: what a rewind took back is not there. lag: at use, the newest weights
-- minus the oldest that sampled, in announcements; null: unknown. tokens: of all their segments.
SELECT
  run_id,
  step,
  lag,
  count() AS trajectories,
  sum(tokens) AS tokens
FROM rollstream.live_deliveries
WHERE ({run:String} = '' OR run_id = {run:String}) AND state = 'trained'
GROUP BY run_id, step, lag
ORDER BY run_id, step, lag ASC NULLS LAST
