SELECT disposition, why[1] AS reason, env_name
FROM rollstream.live_decisions
WHERE run_id = {run:String} OR {run:String} = ''
GROUP BY disposition, reason, env_name
ORDER BY disposition, reason, env_name
