SELECT
  d.replay_id AS version,
  f.label AS label,
  d.rollout_id AS rollout_id,
  d.attempt AS attempt,
  l.disposition AS live_disposition,
  d.disposition AS disposition,
  if(l.reward_valid, l.reward, NULL) AS live_reward,
  if(d.reward_valid, d.reward, NULL) AS reward,
  l.advantage AS live_advantage,
  d.advantage AS advantage,
  d.why AS why,
  f.ended_at AS ended_at
FROM (SELECT * FROM rollstream.decisions FINAL WHERE unit = {unit:String} AND replay_id != '') AS d
INNER JOIN rollstream.finished_replays AS f ON f.replay_id = d.replay_id
LEFT JOIN rollstream.live_decisions AS l
  ON l.run_id = d.run_id AND l.unit = d.unit AND l.rollout_id = d.rollout_id AND l.attempt = d.attempt
ORDER BY ended_at DESC, version, rollout_id, attempt
