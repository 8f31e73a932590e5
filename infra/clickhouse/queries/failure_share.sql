-- title: Failure share
-- question: Why do attempts end, and which part of them is trained, by environment?
-- param run: one run; empty: all
-- example: rollstream query --named failure_share --param run=math
--
-- Of attempts that were decided, those that a higher attempt superseded left out. reason: the one that accounting counts
-- (`retry:CODE`, `no_tokens`, `purpose`, else the code); category: of why the loop ended. share: of the attempts of the run and
-- environment, so that these sum to 1. is_trained: they go to the trainer (train, train_masked, penalise).
SELECT
  run_id,
  env_name,
  why[1] AS reason,
  category,
  disposition,
  CAST(disposition IN ('train', 'train_masked', 'penalise'), 'Bool') AS is_trained,
  count() AS attempts,
  attempts / sum(attempts) OVER (PARTITION BY run_id, env_name) AS share
FROM rollstream.live_decisions
WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
GROUP BY run_id, env_name, reason, category, disposition
ORDER BY run_id, env_name, attempts DESC, reason, category, disposition
