-- title: Flow
-- question: How many attempts started in each hour, and what has become of them by now?
-- param run: one run; empty: all
-- example: rollstream query --named flow --param run=math
--
-- A row is a run and an hour of its source's clock (UTC), by when attempts began; hour is null where the source gives no time.
-- started = ready + rejected + lost + superseded + open. ready: sent to the trainer. rejected: dropped, quarantined, or asked to run
-- again, each attempt for itself. lost: their records were deleted before they were decided. superseded: a higher attempt of the same
-- rollout came. open: not decided yet, or decided and held by the gate; held are the latter. All purposes count.
WITH
  books AS (
    SELECT
      run_id,
      toStartOfHour(started_at) AS hour,
      0 AS n_started,
      multiIf(
        disposition = 'drop' AND reason_code = 'lost', 'lost',
        disposition IN ('train', 'train_masked', 'penalise'),
          if(held AND (run_id, unit, rollout_id, attempt) NOT IN
            (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL WHERE ({run:String} = '' OR run_id = {run:String})), 'held', 'ready'),
        disposition = 'superseded', 'superseded',
        'rejected') AS book
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String})
    UNION ALL
    SELECT run_id, toStartOfHour(started_at), 1, 'started'
    FROM rollstream.live_attempts
    WHERE ({run:String} = '' OR run_id = {run:String})
  )
SELECT
  run_id,
  hour,
  sum(n_started) AS started,
  countIf(book = 'ready') AS ready,
  countIf(book = 'rejected') AS rejected,
  countIf(book = 'lost') AS lost,
  countIf(book = 'superseded') AS superseded,
  toInt64(started) - ready - rejected - lost - superseded AS open,
  countIf(book = 'held') AS held
FROM books
GROUP BY run_id, hour
ORDER BY run_id, hour NULLS LAST
