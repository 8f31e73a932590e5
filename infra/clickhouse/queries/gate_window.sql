-- title: Gate window
-- question: What does the gate of each run see in its last trajectories?
-- param runs: runs to look at
-- param froms: of each run: trajectories decided before are left out, ms since the epoch
-- param window: how many trajectories, the last first
-- example: rollstream query --named gate_window --param "runs=['math']" --param "froms=[0]" --param window=200
--
-- Attempts of at least one model call that were neither superseded nor asked to run again, whatever their purpose.
-- Those that are alike are one row with their number. Of an audit that said more than once (deferred first) the worst counts.
WITH
  windowed AS (
    SELECT run_id, unit, rollout_id, attempt, category = 'unknown' AS is_unknown
    FROM rollstream.live_decisions
    WHERE run_id IN {runs:Array(String)}
      AND n_turns > 0
      AND disposition NOT IN ('superseded', 'retry')
      AND decided_at >= fromUnixTimestamp64Milli({froms:Array(Int64)}[indexOf({runs:Array(String)}, run_id)], 'UTC')
    ORDER BY decided_at DESC, partition DESC, offset DESC, rollout_id DESC
    LIMIT {window:UInt32} BY run_id
  ),
  said AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      arraySort(groupUniqArray((audit, result))) AS results,
      arraySort(groupUniqArrayIf((audit, class, severity), class != '')) AS found
    FROM rollstream.live_audits
    WHERE (run_id, unit, rollout_id, attempt) IN (SELECT run_id, unit, rollout_id, attempt FROM windowed)
    GROUP BY run_id, unit, rollout_id, attempt
  ),
  matched AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      argMax(if(isFinite(kl), kl, NULL), version) AS last_kl,
      argMax(if(isFinite(max_logprob_diff), max_logprob_diff, NULL), version) AS last_diff,
      argMax(if(isFinite(clipped_share), clipped_share, NULL), version) AS last_clipped
    FROM rollstream.train_match FINAL
    WHERE run_id IN {runs:Array(String)}
    GROUP BY run_id, unit, rollout_id, attempt
  )
SELECT
  w.run_id AS run_id,
  toUInt32(count()) AS trajectories,
  w.is_unknown AS is_unknown,
  s.results AS results,
  s.found AS found,
  toUInt32(count(m.last_kl)) AS kl_n,
  ifNull(sum(m.last_kl), 0) AS kl_sum,
  ifNull(sum(m.last_kl * m.last_kl), 0) AS kl_squares,
  toUInt32(count(m.last_diff)) AS diff_n,
  ifNull(sum(m.last_diff), 0) AS diff_sum,
  ifNull(sum(m.last_diff * m.last_diff), 0) AS diff_squares,
  toUInt32(count(m.last_clipped)) AS clipped_n,
  ifNull(sum(m.last_clipped), 0) AS clipped_sum,
  ifNull(sum(m.last_clipped * m.last_clipped), 0) AS clipped_squares
FROM windowed AS w
LEFT JOIN said AS s ON s.run_id = w.run_id AND s.unit = w.unit AND s.rollout_id = w.rollout_id AND s.attempt = w.attempt
LEFT JOIN matched AS m ON m.run_id = w.run_id AND m.unit = w.unit AND m.rollout_id = w.rollout_id AND m.attempt = w.attempt
GROUP BY run_id, is_unknown, results, found
ORDER BY run_id, trajectories DESC, is_unknown, results, found
