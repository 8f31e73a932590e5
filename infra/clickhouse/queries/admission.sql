-- Rollouts of a run by environment: started, begun (first attempts), open, accepted (they went to ready).
-- Parameter run. What admission counts by: open is what started and is not decided, below each lane's frontier.
SELECT env_name, sum(s) AS started, sum(b) AS begun, sum(s) - sum(d) AS open, sum(r) AS accepted
FROM (
  SELECT env_name, count() AS s, countIf(attempt = 0) AS b, 0 AS d, 0 AS r
  FROM rollstream.live_attempts
  WHERE run_id = {run:String}
  GROUP BY env_name
  UNION ALL
  SELECT env_name, 0, 0, count(), countIf(disposition IN ('train', 'train_masked', 'penalise'))
  FROM rollstream.live_decisions
  WHERE run_id = {run:String}
  GROUP BY env_name
)
GROUP BY env_name
ORDER BY env_name
