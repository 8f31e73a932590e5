-- title: Group members
-- question: What became of each attempt of one group, and what was its advantage measured by?
-- param unit: the group's unit: run/epoch/g/group
-- param run: one run; empty: all
-- example: rollstream query --named group_members --param unit=math/0/g/sum-1
--
-- Every attempt that was decided, the retried and the superseded ones too. reason: what accounting counts. reward counts only
-- with reward_valid. advantage null: there is none, which is not 0. group_baseline, group_n, group_mean, group_std: what the
-- advantage was computed from, by the policy's rule; null: from nothing. lag: when it was decided; null: unknown.
SELECT
  d.run_id AS run_id,
  d.rollout_id AS rollout_id,
  d.attempt AS attempt,
  d.disposition AS disposition,
  d.why[1] AS reason,
  d.reward AS reward,
  d.reward_valid AS reward_valid,
  d.advantage AS advantage,
  d.in_loss AS in_loss,
  d.in_baseline AS in_baseline,
  d.counts_for_size AS counts_for_size,
  d.why AS why,
  d.n_tokens AS n_tokens,
  d.lag AS lag,
  t.group_baseline AS group_baseline,
  t.group_n AS group_n,
  t.group_mean AS group_mean,
  t.group_std AS group_std
FROM rollstream.live_decisions AS d
LEFT JOIN (
  SELECT run_id, unit, rollout_id, attempt, group_baseline, group_n, group_mean, group_std
  FROM rollstream.live_trajectories
  WHERE unit = {unit:String} AND (run_id, epoch, rollout_id) IN (
    SELECT run_id, epoch, rollout_id FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND unit = {unit:String})
) AS t ON t.run_id = d.run_id AND t.unit = d.unit AND t.rollout_id = d.rollout_id AND t.attempt = d.attempt
WHERE ({run:String} = '' OR d.run_id = {run:String}) AND d.unit = {unit:String}
ORDER BY run_id, rollout_id, attempt
