-- title: Contradictions
-- question: Where do the facts of an attempt contradict each other: why the loop ended, what the engine said, what a verifier said?
-- param run: one run; empty: all
-- example: rollstream query --named contradictions --param run=math
--
-- A row is a contradiction and the facts beside it; an attempt with several stands in each of them. conflict: both sides, in words.
-- finish_reason: the engine's own of the last call, whole; empty: none was kept. verifier_status: of the verdict that counted, or
-- none. example_rollout: of the one decided last. Attempts that a higher one superseded are left out.
SELECT
  run_id,
  arrayJoin(arrayDistinct(conflicts)) AS conflict,
  reason_code,
  ifNull(finish_reason, '') AS finish_reason,
  verifier_status,
  count() AS attempts,
  argMax(rollout_id, (decided_at, partition, offset, rollout_id)) AS example_rollout
FROM rollstream.live_decisions
WHERE ({run:String} = '' OR run_id = {run:String}) AND notEmpty(conflicts) AND disposition != 'superseded'
GROUP BY run_id, conflict, reason_code, finish_reason, verifier_status
ORDER BY run_id, attempts DESC, conflict, reason_code, finish_reason, verifier_status
