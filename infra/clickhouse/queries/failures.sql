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
    SELECT
      run_id, env_name, n_turns, why[1] AS reason, category, disposition,
      toStartOfHour(ended_at) AS hour,
      sipHash64(run_id, unit, rollout_id, attempt) AS name
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition NOT IN ('train', 'train_masked', 'penalise', 'superseded')
  ),
  -- Most environments of a run have one model, so that no attempt has to be looked up.
  by_env AS (
    SELECT run_id, env_name, uniqExact(model) = 1 AND count(model) = count() AS is_one, ifNull(any(model), '') AS name
    FROM rollstream.steps
    WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'model_call'
    GROUP BY run_id, env_name
  ),
  by_attempt AS (
    SELECT r.name AS name, arrayStringConcat(arraySort(groupUniqArray(toString(assumeNotNull(r.model)))), ', ') AS models
    FROM (
      -- As FINAL does, of the calls of failed attempts alone.
      SELECT sipHash64(run_id, unit, rollout_id, attempt) AS name, model, topic, partition, term, cause
      FROM rollstream.steps
      WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'model_call'
        AND (run_id, env_name) IN (SELECT run_id, env_name FROM by_env WHERE NOT is_one)
        AND name IN (SELECT name FROM failed)
      ORDER BY version DESC
      LIMIT 1 BY name, seq, unsequenced_id, partition
    ) AS r
    INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
    WHERE r.cause < o.below AND r.model != ''
    GROUP BY name
  )
SELECT
  f.run_id AS run_id,
  f.hour AS hour,
  f.env_name AS env_name,
  multiIf(f.n_turns = 0, '', e.is_one, e.name, a.models) AS model,
  f.reason AS reason,
  f.category AS category,
  f.disposition AS disposition,
  count() AS attempts
FROM failed AS f
LEFT JOIN by_env AS e ON e.run_id = f.run_id AND e.env_name = f.env_name
LEFT JOIN by_attempt AS a ON a.name = f.name
GROUP BY run_id, hour, env_name, model, reason, category, disposition
ORDER BY run_id, hour NULLS LAST, attempts DESC, env_name, model, reason, category, disposition
