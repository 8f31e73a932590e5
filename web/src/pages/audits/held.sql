SELECT rollout_id, attempt, unit, env_name, task_id, disposition, reward, decided_at
FROM rollstream.live_held
WHERE run_id = {run:String}
ORDER BY decided_at, unit, rollout_id, attempt
LIMIT 200
