-- title: Wall-clock bars
-- question: What happened when in one attempt, as bars on a time line?
-- param rollout: the rollout
-- param attempt = 0: the try
-- param run: one run; empty: all
-- example: rollstream query --named wall_gantt --param run=math --param rollout=sum-1_0
--
-- Events of the attempt in the order of their producer, what came after the end last; no control events. started_ms, ended_ms: from
-- the first time of the attempt on, by the source's clock; of begin, end and duration two give the third; null: the source has no
-- time. Start and end of the attempt are instants. duration_ms: null: not measured, nor to be had from begin and end. turn: number of
-- the model call, from 0, that it is or belongs to; null: none. name: model, tool, phase, role or verifier. status: of a call how
-- the engine finished, of a tool or verdict its own; error where a phase or a call failed. Where a rollout was sampled in two units
-- their events have a unit each.
WITH
  events AS (
    SELECT
      run_id, unit, seq, toString(kind) AS kind, offset,
      toUnixTimestamp64Micro(started_at) AS from_us,
      toUnixTimestamp64Micro(ended_at) AS to_us,
      if(duration_us >= 0, duration_us, NULL) AS took_us,
      multiIf(
        kind = 'model_call', ifNull(toString(model), ''),
        kind = 'tool_result', ifNull(toString(tool_name), ''),
        kind = 'phase', toString(phase),
        kind = 'message', toString(role),
        kind = 'verdict', JSONExtractString(detail_json, 'scorer'),
        '') AS name,
      tool_turn,
      multiIf(
        kind = 'model_call', if(has_error, 'error', ifNull(finish_reason, '')),
        kind IN ('tool_result', 'verdict'), toString(status),
        has_error, 'error',
        '') AS status
    FROM rollstream.live_steps
    WHERE ({run:String} = '' OR run_id = {run:String}) AND rollout_id = {rollout:String} AND attempt = toInt32({attempt:String})
      AND kind != 'control'
  ),
  placed AS (
    SELECT
      *,
      coalesce(from_us, if(kind IN ('start', 'end'), to_us, to_us - took_us)) AS begin_us,
      coalesce(to_us, if(kind IN ('start', 'end'), from_us, from_us + took_us)) AS end_us,
      countIf(kind = 'model_call') OVER (PARTITION BY run_id, unit ORDER BY seq < 0, seq, offset ROWS UNBOUNDED PRECEDING) AS calls
    FROM events
  )
SELECT
  run_id,
  unit,
  kind,
  name,
  (begin_us - min(begin_us) OVER (PARTITION BY run_id, unit)) / 1000 AS started_ms,
  (if(kind IN ('start', 'end'), begin_us, end_us) - min(begin_us) OVER (PARTITION BY run_id, unit)) / 1000 AS ended_ms,
  if(kind IN ('start', 'end'), NULL, coalesce(took_us, end_us - begin_us)) / 1000 AS duration_ms,
  multiIf(
    kind = 'model_call', toNullable(toInt32(calls) - 1),
    kind = 'tool_result', coalesce(tool_turn, if(calls = 0, NULL, toInt32(calls) - 1)),
    NULL) AS turn,
  status
FROM placed
ORDER BY run_id, unit, seq < 0, seq, offset
