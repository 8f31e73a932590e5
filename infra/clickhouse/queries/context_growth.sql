-- title: Context growth
-- question: How long do prompts and completions get from turn to turn, and how much of a prompt was there before?
-- param run: one run; empty: all
-- example: rollstream query --named context_growth --param run=math
--
-- turn: model call of an attempt, from 0, over all its segments. attempts: those decided whose call has its token ids; calls without
-- them are in no figure, and turns without any have no row. prompt_tokens is the whole prompt, what is reused included. Percentiles
-- are of the attempts that reached the turn. reuse_share: of the prompt tokens of these calls the share that their segment held
-- already; below what came before, the history was rewritten; null where the segments are not in the row (above 8 MB).
WITH
  calls AS (
    SELECT
      run_id,
      env_name,
      `turns.segment_id` AS ids,
      `turns.end` AS ends,
      `segments.segment_id` AS segments,
      `segments.fork_at` AS forks,
      arrayJoin(arrayFilter((one) -> one.3 > 0, arrayMap(
        (turn, start, end, id, i) -> (
          turn,
          start,
          end,
          multiIf(
            arrayExists((other, to) -> other = id AND to > 0, arraySlice(ids, 1, i - 1), arraySlice(ends, 1, i - 1)),
              CAST(arrayLast((to, other) -> other = id AND to > 0, arraySlice(ends, 1, i - 1), arraySlice(ids, 1, i - 1)), 'Nullable(Int32)'),
            has(segments, id), ifNull(forks[indexOf(segments, id)], 0),
            i = 1, 0,
            NULL)
        ),
        `turns.turn`, `turns.start`, `turns.end`, ids, arrayEnumerate(ids)))) AS call
    FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
  )
SELECT
  run_id,
  env_name,
  call.1 AS turn,
  count() AS attempts,
  quantilesExact(0.5, 0.95)(call.2)[1] AS prompt_tokens_p50,
  quantilesExact(0.5, 0.95)(call.2)[2] AS prompt_tokens_p95,
  quantilesExact(0.5, 0.95)(call.3 - call.2)[1] AS completion_tokens_p50,
  quantilesExact(0.5, 0.95)(call.3 - call.2)[2] AS completion_tokens_p95,
  if(countIf(isNotNull(call.4) AND call.2 > 0) = 0, NULL, sum(call.4) / sumIf(call.2, isNotNull(call.4))) AS reuse_share
FROM calls
GROUP BY run_id, env_name, turn
ORDER BY run_id, env_name, turn
