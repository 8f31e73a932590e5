-- title: Time-outs
-- question: Which time-outs end loops, and whose time was it: the policy's, the environment's, the infrastructure's?
-- param run: one run; empty: all
-- example: rollstream query --named timeouts --param run=math
--
-- Attempts whose loop ended by a time-out: wall_clock, and codes of the taxonomy with timeout in their name; those that a higher
-- attempt superseded are left out, and so are time-outs of verifiers, which are not why a loop ended. attribution: whose time-out it
-- was, where the taxonomy asks (policy, env or unknown); empty: not given. mean_infra_share: of engine queue, sandbox and waiting in the
-- wall clock, mean_policy_share: of the policy's own sampling; 0 to 1, means over attempts that tell, null where none does.
-- attempts = trained (train, penalise) + masked (train_masked) + dropped + retried + quarantined.
WITH
  ended AS (
    SELECT run_id, epoch, unit, rollout_id, attempt, env_name, reason_code, disposition, infra_share, policy_share
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
      AND (reason_code = 'wall_clock' OR (position(reason_code, 'timeout') > 0 AND category != 'verifier_fault'))
  ),
  whose AS (
    SELECT run_id, unit, rollout_id, attempt, `reasons.code` AS codes, `reasons.attribution` AS attributions
    FROM rollstream.live_trajectories
    WHERE (run_id, epoch, rollout_id, attempt) IN (SELECT run_id, epoch, rollout_id, attempt FROM ended)
  )
SELECT
  e.run_id AS run_id,
  e.env_name AS env_name,
  e.reason_code AS reason_code,
  ifNull(w.attributions[indexOf(w.codes, e.reason_code)], '') AS attribution,
  count() AS attempts,
  avg(e.infra_share) AS mean_infra_share,
  avg(e.policy_share) AS mean_policy_share,
  countIf(e.disposition IN ('train', 'penalise')) AS trained,
  countIf(e.disposition = 'train_masked') AS masked,
  countIf(e.disposition = 'drop') AS dropped,
  countIf(e.disposition = 'retry') AS retried,
  countIf(e.disposition = 'quarantine') AS quarantined
FROM ended AS e
LEFT JOIN whose AS w ON w.run_id = e.run_id AND w.unit = e.unit AND w.rollout_id = e.rollout_id AND w.attempt = e.attempt
GROUP BY run_id, env_name, reason_code, attribution
ORDER BY run_id, env_name, attempts DESC, reason_code, attribution
