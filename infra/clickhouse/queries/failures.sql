-- title: Failures
-- question: What was not trained, and why, hour by hour?
-- param run: one run; empty: all
-- example: rollstream query --named failures --param run=math
--
-- Attempts that were decided and are not for the trainer: dropped, quarantined, or asked to run again; those that a higher attempt
-- superseded are left out. hour: of their end, by the source's clock (UTC); null where it gives no time. reason: the one that
-- accounting counts (`retry:CODE`, `no_tokens`, `purpose`, else the code); category: of why the loop ended. model: of the model
-- calls, all of them where there are several; empty: there was no call, or none names its model.
WITH
  failed AS (
    SELECT run_id, unit, epoch, rollout_id, attempt, env_name, why[1] AS reason, category, disposition, toStartOfHour(ended_at) AS hour
    FROM rollstream.live_decisions
    WHERE {run:String} IN ('', run_id) AND disposition NOT IN ('train', 'train_masked', 'penalise', 'superseded')
  ),
  models AS (
    SELECT run_id, unit, rollout_id, attempt, arrayStringConcat(arraySort(groupUniqArray(assumeNotNull(model))), ', ') AS names
    FROM rollstream.live_steps
    WHERE kind = 'model_call' AND model != ''
      AND (run_id, epoch, rollout_id, attempt) IN (SELECT run_id, epoch, rollout_id, attempt FROM failed)
    GROUP BY run_id, unit, rollout_id, attempt
  )
SELECT
  f.run_id AS run_id,
  f.hour AS hour,
  f.env_name AS env_name,
  m.names AS model,
  f.reason AS reason,
  f.category AS category,
  f.disposition AS disposition,
  count() AS attempts
FROM failed AS f
LEFT JOIN models AS m ON m.run_id = f.run_id AND m.unit = f.unit AND m.rollout_id = f.rollout_id AND m.attempt = f.attempt
GROUP BY run_id, hour, env_name, model, reason, category, disposition
ORDER BY run_id, hour NULLS LAST, attempts DESC, env_name, model, reason, category, disposition
