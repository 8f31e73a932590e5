-- title: Fault owners
-- question: Whose fault is it that rollouts end as they do: the policy's, the environment's, the infrastructure's, the harness's?
-- param run: one run; empty: all
-- example: rollstream query --named fault_owners --param run=math
--
-- Of attempts that were decided, those that a higher attempt superseded left out. owner follows from the category of why the loop
-- ended: policy, env, infra and harness for their faults; budget: a limit ended it; completion, cancelled, unknown. verifier: a
-- verifier that did not answer is why it is not trained, whatever ended the loop.
-- share: of the attempts of the run and environment. trained: those that go to the trainer. mean_reward: over valid rewards, null
-- without any.
SELECT
  run_id,
  env_name,
  if(why[1] IN ('verifier_timeout', 'reward_missing', 'verifier_error'), 'verifier', transform(toString(category),
    ['policy_failure', 'env_fault', 'infra_fault', 'harness_fault', 'verifier_fault', 'budget', 'completion', 'cancelled'],
    ['policy', 'env', 'infra', 'harness', 'verifier', 'budget', 'completion', 'cancelled'], 'unknown')) AS owner,
  count() AS attempts,
  attempts / sum(attempts) OVER (PARTITION BY run_id, env_name) AS share,
  countIf(disposition IN ('train', 'train_masked', 'penalise')) AS trained,
  if(countIf(reward_valid AND isNotNull(reward)) = 0, NULL, avgIf(reward, reward_valid)) AS mean_reward
FROM rollstream.live_decisions
WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
GROUP BY run_id, env_name, owner
ORDER BY run_id, env_name, attempts DESC, owner
