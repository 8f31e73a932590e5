-- title: Admission
-- question: What does admission count by: rollouts of a run that started, are open, were accepted, by environment?
-- param run: the run
-- example: rollstream query --named admission --param run=math
--
-- What admission counts by: open is what started and is not decided, below each lane's frontier.
-- accepted is what a trainer of the surviving history has or will get: what a rewind took back is queued again, and counts; what
-- expired, cannot be delivered or was rejected does not, since no step will use it; of several versions one that a step may use is enough. What a fork took over is accepted, too, by the
-- environment that it was sampled in; empty: not known any more.
WITH
  dead AS (
    SELECT sipHash128(unit, rollout_id, attempt) AS name
    FROM rollstream.deliveries FINAL
    WHERE run_id = {run:String}
      AND (unit, rollout_id, attempt) NOT IN (
        SELECT unit, rollout_id, attempt FROM rollstream.replay_emitted FINAL
        WHERE run_id = {run:String} AND endsWith(topic, 'trajectories.ready') AND (unit, rollout_id, attempt, replay_id) NOT IN (
          SELECT unit, rollout_id, attempt, replay_id FROM rollstream.deliveries WHERE run_id = {run:String}))
    GROUP BY name
    HAVING countIf(state IN ('expired', 'undeliverable', 'trainer_rejected')) > 0
      AND countIf(state IN ('queued', 'leased', 'trained')) = 0
  ),
  forked AS (
    SELECT inherited, finals FROM rollstream.lineages FINAL WHERE run_id = {run:String} AND kind = 'fork'
  ),
  -- Of a fork those that have rows of their own: sampled in another run, whose name is in their unit.
  taken_over AS (
    SELECT DISTINCT unit, rollout_id, attempt, decodeURLComponent(splitByChar('/', unit)[1]) AS sampled_in
    FROM rollstream.deliveries FINAL
    WHERE run_id = {run:String} AND (SELECT count() FROM forked) > 0 AND sampled_in != {run:String}
      AND state NOT IN ('expired', 'undeliverable', 'trainer_rejected', 'replaced')
  )
SELECT env_name, sum(s) AS started, sum(b) AS begun, sum(s) - sum(d) AS open, sum(r) AS accepted
FROM (
  SELECT env_name, count() AS s, countIf(attempt = 0) AS b, 0 AS d, 0 AS r
  FROM rollstream.live_attempts
  WHERE run_id = {run:String}
  GROUP BY env_name
  UNION ALL
  SELECT env_name, 0, 0, count(), countIf(disposition IN ('train', 'train_masked', 'penalise')
    AND sipHash128(unit, rollout_id, attempt) NOT IN (SELECT name FROM dead))
  FROM rollstream.live_decisions
  WHERE run_id = {run:String}
  GROUP BY env_name
  UNION ALL
  SELECT d.env_name, 0, 0, 0, count()
  FROM taken_over AS t
  LEFT JOIN (
    SELECT unit, rollout_id, attempt, env_name FROM rollstream.live_decisions
    WHERE run_id IN (SELECT sampled_in FROM taken_over)
  ) AS d ON d.unit = t.unit AND d.rollout_id = t.rollout_id AND d.attempt = t.attempt
  GROUP BY d.env_name
  UNION ALL
  SELECT '', 0, 0, 0, toUInt64(sum(finals['trained'])) FROM forked
)
GROUP BY env_name
HAVING started > 0 OR accepted > 0
ORDER BY env_name
