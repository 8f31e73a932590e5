-- The accounting identity, a row a run: started = ready + Σ rejected + open + lost + superseded, over attempts.
-- Parameter run: one run, or empty for all.
-- Each side comes from rows of its own (attempts when one opens, decisions when it closes, lanes for what is open), counted
-- below each lane's frontier, so that the identity can fail. `laneless` are attempts of a partition whose lane wrote nothing:
-- its books cannot be closed. `undecidable` are decisions of a disposition that has no book.
-- `lost` are decisions of attempts whose records the log deleted before they were decided.
-- Nothing is held yet: gates come with rows of their own.
WITH
  started AS (
    SELECT run_id, count() AS n FROM rollstream.live_attempts WHERE {run:String} IN ('', run_id) GROUP BY run_id
  ),
  laneless AS (
    SELECT run_id, count() AS n FROM rollstream.attempts FINAL
    WHERE {run:String} IN ('', run_id) AND replay_id = ''
      AND (topic, partition) NOT IN (SELECT topic, partition FROM rollstream.lanes)
    GROUP BY run_id
  ),
  still_open AS (
    SELECT open_run AS run_id, count() AS n
    FROM (SELECT arrayJoin(`open.run_id`) AS open_run FROM rollstream.lanes FINAL)
    WHERE {run:String} IN ('', open_run)
    GROUP BY open_run
  ),
  books AS (
    SELECT
      run_id,
      multiIf(
        disposition = 'drop' AND reason_code = 'lost', 'lost',
        disposition IN ('train', 'train_masked', 'penalise'), 'ready',
        disposition IN ('drop', 'quarantine', 'retry'), 'rejected',
        disposition = 'superseded', 'superseded',
        'undecidable') AS book,
      if(book = 'rejected', why[1], '') AS reason,
      count() AS n
    FROM rollstream.live_decisions
    WHERE {run:String} IN ('', run_id)
    GROUP BY run_id, book, reason
  )
SELECT run_id, book, reason, sum(n) AS n
FROM (
  SELECT run_id, 'started' AS book, '' AS reason, n FROM started
  UNION ALL SELECT run_id, 'laneless', '', n FROM laneless
  UNION ALL SELECT run_id, 'open', '', n FROM still_open
  UNION ALL SELECT run_id, book, reason, n FROM books
)
GROUP BY run_id, book, reason
ORDER BY run_id, book, reason
