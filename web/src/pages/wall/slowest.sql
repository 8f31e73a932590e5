SELECT
  run_id,
  epoch,
  rollout_id,
  attempt,
  env_name,
  why[1] AS reason,
  wall_ms['total'] AS total_ms,
  mapFilter((part, ms) -> part NOT IN ('total', 'verify', 'cleanup', 'trainer_wait'), wall_ms) AS parts
FROM rollstream.live_trajectories
WHERE ({run:String} = '' OR run_id = {run:String}) AND {env:String} IN ('', env_name) AND mapContains(wall_ms, 'total')
ORDER BY total_ms DESC, run_id, rollout_id, attempt
LIMIT 20
