SELECT
    d.run_id AS run_id, d.epoch AS epoch, d.rollout_id AS rollout_id, d.attempt AS attempt, d.env_name AS env_name, d.task_id AS task_id,
    d.disposition AS disposition, d.why[1] AS reason, d.reason_code AS reason_code, d.verifier_status AS verifier_status,
    if(d.reward_valid, d.reward, NULL) AS reward, d.n_turns AS n_turns, d.n_tokens AS n_tokens, a.found AS found, d.decided_at AS decided_at
FROM rollstream.live_decisions AS d
LEFT JOIN
(
    SELECT run_id, unit, rollout_id, attempt, groupUniqArray(class) AS found
    FROM rollstream.live_audits
    WHERE class != '' AND (run_id = {run:String} OR {run:String} = '')
    GROUP BY run_id, unit, rollout_id, attempt
) AS a ON a.run_id = d.run_id AND a.unit = d.unit AND a.rollout_id = d.rollout_id AND a.attempt = d.attempt
WHERE (d.run_id = {run:String} OR {run:String} = '')
    AND (d.disposition = {became:String} OR {became:String} = '')
    AND (d.why[1] = {reason:String} OR {reason:String} = '')
    AND (d.env_name = {env:String} OR {env:String} = '')
    AND (d.task_id = {task:String} OR {task:String} = '')
    AND ({search:String} = '' OR positionCaseInsensitiveUTF8(d.rollout_id, {search:String}) > 0 OR positionCaseInsensitiveUTF8(d.task_id, {search:String}) > 0)
ORDER BY d.disposition IN ('train', 'penalise', 'superseded'), d.disposition = 'train_masked', d.decided_at DESC, d.run_id, d.rollout_id, d.attempt
LIMIT 300
