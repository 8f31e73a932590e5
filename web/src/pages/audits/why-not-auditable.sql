-- What audits lacked, of attempts they could not look at. In how many and which model calls it lacked is left out, so that the
-- same lack is one row. Deferred: it is sampled later, and what it found then is in audits alone.
SELECT
  run_id,
  missing.1 AS audit,
  replaceRegexpOne(missing.2, ' \\(model call [^)]*\\)$', '') AS lacks,
  count() AS attempts,
  argMin(rollout_id, (epoch, rollout_id, attempt)) AS example_rollout,
  argMin(attempt, (epoch, rollout_id, attempt)) AS example_attempt
FROM (
  SELECT
    run_id, epoch, rollout_id, attempt,
    arrayJoin(arrayZip(mapKeys(audit_missing), mapValues(audit_missing))) AS missing
  FROM rollstream.live_trajectories
  WHERE {run:String} = '' OR run_id = {run:String}
)
WHERE {audit:String} IN ('', missing.1)
GROUP BY run_id, audit, lacks
ORDER BY run_id, attempts DESC, audit, lacks
