-- title: Train–inference match
-- question: How far are the trainer's logprobs from the rollout's, by engine replica, weights, logprobs mode and drift?
-- param run: one run; empty: all
-- example: rollstream query --named train_match --param run=math
--
-- Of a trajectory that was trained more than once the last report counts.
-- `replica` names all that answered an attempt. `weights`: one (a single version sampled it), mixed, or unknown.
-- `logprobs_mode`: raw, processed, unknown or mixed. `drift`: classes that the audits tokens and reencode found, none, or
-- not_auditable where neither could look. Means are over the trajectories that reported the value, null where none did.
WITH
  matched AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      argMax((kl, max_logprob_diff, clipped_share), version) AS last
    FROM rollstream.train_match FINAL
    WHERE ({run:String} = '' OR run_id = {run:String})
    GROUP BY run_id, unit, rollout_id, attempt
  ),
  sampled AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      arrayStringConcat(arraySort(groupUniqArray(ifNull(replica, 'unknown'))), ', ') AS replica,
      groupUniqArrayArray(`weight_spans.version`) AS versions,
      countIf(empty(`weight_spans.version`)) AS without_version,
      groupUniqArray(logprobs_mode) AS modes
    FROM rollstream.live_steps
    WHERE kind = 'model_call' AND (run_id, unit, rollout_id, attempt) IN (SELECT run_id, unit, rollout_id, attempt FROM matched)
    GROUP BY run_id, unit, rollout_id, attempt
  ),
  drifted AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      arrayStringConcat(arraySort(groupUniqArrayIf(class, class != '')), ', ') AS classes,
      countIf(result != 'not_auditable') AS looked
    FROM rollstream.live_audits
    WHERE audit IN ('tokens', 'reencode')
      AND (run_id, unit, rollout_id, attempt) IN (SELECT run_id, unit, rollout_id, attempt FROM matched)
    GROUP BY run_id, unit, rollout_id, attempt
  )
SELECT
  m.run_id AS run_id,
  if(s.replica = '', 'unknown', s.replica) AS replica,
  multiIf(s.without_version > 0 OR empty(s.versions), 'unknown', length(s.versions) = 1, 'one', 'mixed') AS weights,
  multiIf(empty(s.modes), 'unknown', length(s.modes) = 1, s.modes[1], 'mixed') AS logprobs_mode,
  multiIf(d.classes != '', d.classes, d.looked > 0, 'none', 'not_auditable') AS drift,
  count() AS trajectories,
  avg(m.last.1) AS kl,
  max(m.last.1) AS worst_kl,
  avg(m.last.2) AS logprob_diff,
  max(m.last.2) AS worst_logprob_diff,
  avg(m.last.3) AS clipped,
  argMax(m.rollout_id, ifNull(m.last.1, -inf)) AS worst_rollout
FROM matched AS m
LEFT JOIN sampled AS s ON s.run_id = m.run_id AND s.unit = m.unit AND s.rollout_id = m.rollout_id AND s.attempt = m.attempt
LEFT JOIN drifted AS d ON d.run_id = m.run_id AND d.unit = m.unit AND d.rollout_id = m.rollout_id AND d.attempt = m.attempt
GROUP BY run_id, replica, weights, logprobs_mode, drift
ORDER BY run_id, kl DESC NULLS LAST, replica, weights, logprobs_mode, drift
