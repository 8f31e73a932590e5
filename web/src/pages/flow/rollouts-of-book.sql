-- Attempts of one book of accounting that were decided, the newest first. state: of their delivery, as of now; empty: not asked for.
SELECT *, count() OVER () AS of
FROM (
  SELECT
    d.run_id AS run_id, d.epoch AS epoch, d.rollout_id AS rollout_id, d.attempt AS attempt, d.env_name AS env_name,
    d.task_id AS task_id, d.disposition AS disposition, d.why[1] AS reason, d.reward AS reward, d.n_turns AS n_turns,
    d.n_sampled_tokens AS n_sampled_tokens, d.started_at AS started_at, d.ended_at AS ended_at, d.decided_at AS decided_at,
    multiIf(
      d.disposition = 'drop' AND d.reason_code = 'lost', 'lost',
      d.disposition IN ('train', 'train_masked', 'penalise'),
        if(d.held AND (d.run_id, d.unit, d.rollout_id, d.attempt) NOT IN
          (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL WHERE ({run:String} = '' OR run_id = {run:String})), 'held', 'ready'),
      d.disposition = 'superseded', 'superseded',
      'rejected') AS book,
    multiIf(book != 'ready', '', t.state = '', 'queued', t.state) AS state
  FROM rollstream.live_decisions AS d
  LEFT JOIN (
    SELECT run_id, unit, rollout_id, attempt, state
    FROM rollstream.live_deliveries
    WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = ''
  ) AS t ON t.run_id = d.run_id AND t.unit = d.unit AND t.rollout_id = d.rollout_id AND t.attempt = d.attempt
  WHERE ({run:String} = '' OR d.run_id = {run:String})
)
WHERE {book:String} IN ('', book)
  AND {state:String} IN ('', state)
  AND {hour:String} IN ('', ifNull(toString(toStartOfHour(started_at)), '(none)'))
ORDER BY decided_at DESC, run_id, epoch, rollout_id, attempt
LIMIT {limit:UInt32}
