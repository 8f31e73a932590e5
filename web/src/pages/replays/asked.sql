SELECT
  r.replay_id AS replay_id,
  JSONExtract(r.request_json, 'runs', 'Array(String)') AS runs,
  JSONExtractString(r.request_json, 'where') AS condition,
  r.policy_id AS policy_id,
  extract(p.content, '(?m)^name: *(\\S+)') AS policy_name,
  r.taxonomy_id AS taxonomy_id,
  r.refused AS refused,
  r.emit_topic AS emit_topic
FROM rollstream.replays AS r FINAL
LEFT JOIN (SELECT id, content FROM rollstream.documents FINAL WHERE kind = 'policy') AS p ON p.id = r.policy_id
ORDER BY r.started_at DESC, replay_id
LIMIT 1000
