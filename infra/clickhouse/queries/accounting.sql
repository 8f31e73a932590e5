-- title: Accounting
-- question: Is every attempt that started in exactly one book: started = ready + Σ rejected + open + lost + superseded?
-- param run: one run; empty: all
-- example: rollstream query --named accounting --param run=math
--
-- Each side comes from rows of its own (attempts when one opens, decisions when it closes, lanes for what is open), counted
-- below each lane's frontier, so that the identity can fail. `laneless` are attempts of a partition whose lane wrote nothing:
-- its books cannot be closed. `undecidable` are decisions of a disposition that has no book.
-- `lost` are decisions of attempts whose records the log deleted before they were decided.
-- `not_taken_in` is in no book: starts that their group refused, each once, by what it was refused for first (a repeat is refused
-- for less: the group has closed by then).
-- `ready_state` is what became of what is ready, as of now: that nothing was ever said of is queued, counted by decisions; all else
-- comes from the rows of the one that grants, what is not ready among it, so that this can fail, too. `inherited` is what a fork
-- took over; what of it was final has no rows, and the fork says its states.
-- `re_emitted` is what replays wrote to ready again; of its versions one is trained, the others are replaced or wait.
-- `held` waits for the gate of its run, and is among the open ones until the forwarder has moved it to ready.
WITH
  started AS (
    SELECT run_id, count() AS n FROM rollstream.live_attempts WHERE ({run:String} = '' OR run_id = {run:String}) GROUP BY run_id
  ),
  laneless AS (
    SELECT run_id, count() AS n FROM rollstream.attempts FINAL
    WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = ''
      AND (topic, partition) NOT IN (SELECT topic, partition FROM rollstream.lanes)
    GROUP BY run_id
  ),
  still_open AS (
    SELECT open_run AS run_id, count() AS n
    FROM (SELECT arrayJoin(`open.run_id`) AS open_run FROM rollstream.lanes FINAL)
    WHERE ({run:String} = '' OR open_run = {run:String})
    GROUP BY open_run
  ),
  decided AS (
    SELECT
      run_id,
      multiIf(
        disposition = 'drop' AND reason_code = 'lost', 'lost',
        disposition IN ('train', 'train_masked', 'penalise'),
          if(held AND (run_id, unit, rollout_id, attempt) NOT IN
            (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL), 'held', 'ready'),
        disposition IN ('drop', 'quarantine', 'retry'), 'rejected',
        disposition = 'superseded', 'superseded',
        'undecidable') AS book,
      if(book = 'rejected', why[1], '') AS reason,
      sipHash128(run_id, unit, rollout_id, attempt) AS name
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String})
  ),
  -- Records of the ready topic that a replay wrote, of the pipelines whose lanes the store knows: its prefix is that of their steps.
  emitted AS (
    SELECT run_id, at, sipHash128(run_id, unit, rollout_id, attempt, replay_id) AS name
    FROM rollstream.replay_emitted FINAL
    WHERE ({run:String} = '' OR run_id = {run:String}) AND topic IN (
      SELECT concat(left(topic, length(topic) - length('rollout.steps')), 'trajectories.ready') FROM rollstream.lanes
      WHERE endsWith(topic, 'rollout.steps'))
  ),
  re_emitted AS (
    SELECT run_id, count() AS n, countIf(name NOT IN
      (SELECT sipHash128(run_id, unit, rollout_id, attempt, replay_id) FROM rollstream.deliveries
       WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id != '')) AS untold
    FROM emitted
    GROUP BY run_id
  ),
  books AS (
    SELECT run_id, book, reason, count() AS n, countIf(book = 'ready' AND name NOT IN
      (SELECT sipHash128(run_id, unit, rollout_id, attempt) FROM rollstream.deliveries
       WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = '')) AS untold
    FROM decided
    GROUP BY run_id, book, reason
  ),
  told AS (
    SELECT run_id, state, count() AS n
    FROM rollstream.live_deliveries
    WHERE ({run:String} = '' OR run_id = {run:String})
    GROUP BY run_id, state
  ),
  forked AS (
    SELECT run_id, inherited, finals FROM rollstream.lineages FINAL WHERE kind = 'fork' AND ({run:String} = '' OR run_id = {run:String})
  ),
  not_taken_in AS (
    SELECT run_id, first_reason AS reason, count() AS n
    FROM (
      SELECT run_id, argMin(reason, offset) AS first_reason
      FROM rollstream.live_step_faults
      WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'start'
        AND reason IN ('group_overfull', 'group_size_conflict', 'task_conflict', 'group_closed')
      GROUP BY run_id, unit, rollout_id, attempt
    )
    GROUP BY run_id, reason
  )
SELECT run_id, book, reason, sum(n) AS n
FROM (
  SELECT run_id, 'started' AS book, '' AS reason, n FROM started
  UNION ALL SELECT run_id, 'laneless', '', n FROM laneless
  UNION ALL SELECT run_id, 'open', '', n FROM still_open
  UNION ALL SELECT run_id, book, reason, n FROM books
  UNION ALL SELECT run_id, 'ready_state', 'queued', untold FROM books WHERE untold > 0
  UNION ALL SELECT run_id, 're_emitted', '', n FROM re_emitted
  UNION ALL SELECT run_id, 'ready_state', 'queued', untold FROM re_emitted WHERE untold > 0
  UNION ALL SELECT run_id, 'ready_state', state, n FROM told
  UNION ALL SELECT run_id, 'inherited', '', toUInt64(inherited) FROM forked
  UNION ALL SELECT run_id, 'ready_state', tupleElement(one, 1), toUInt64(tupleElement(one, 2))
    FROM (SELECT run_id, arrayJoin(CAST(finals, 'Array(Tuple(String, Int64))')) AS one FROM forked)
  UNION ALL SELECT run_id, 'not_taken_in', reason, n FROM not_taken_in
)
GROUP BY run_id, book, reason
ORDER BY run_id, book, reason
