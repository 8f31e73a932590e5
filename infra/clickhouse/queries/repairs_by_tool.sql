-- title: Repairs by tool
-- question: Which tools are called in ways that the harness repairs, loses or misreads?
-- param run: one run; empty: all
-- example: rollstream query --named repairs_by_tool --param run=math
--
-- tool: as the loop names it; empty: it names none, and findings of a turn that cannot be told which of its calls they are about.
-- calls: tool calls of all attempts; turns: model calls that call the tool, turns_looked those of attempts that the audit of tools
-- could look at. The next columns count findings by class; other_findings all that this audit finds besides. Of an attempt the
-- first 64 findings are kept. turns_found: of turns_looked those with a finding about the tool; rate: their share, null without any.
WITH
  found AS (
    SELECT run_id, epoch, unit, rollout_id, attempt, result, class, turn, detail
    FROM rollstream.live_audits
    WHERE ({run:String} = '' OR run_id = {run:String}) AND audit = 'tools' AND class != ''
  ),
  unproved AS (
    SELECT run_id, unit, rollout_id, attempt
    FROM rollstream.live_audits
    WHERE ({run:String} = '' OR run_id = {run:String}) AND audit = 'tools'
    GROUP BY run_id, unit, rollout_id, attempt
    HAVING max(result != 'not_auditable') = 0
  ),
  called AS (
    SELECT
      run_id,
      ifNull(name, '') AS tool,
      count() AS calls,
      uniqExact((unit, rollout_id, attempt, seq)) AS turns,
      uniqExactIf((unit, rollout_id, attempt, seq), (run_id, unit, rollout_id, attempt) NOT IN (SELECT * FROM unproved)) AS turns_looked
    FROM rollstream.live_steps
    ARRAY JOIN `tool_calls.name` AS name
    WHERE ({run:String} = '' OR run_id = {run:String}) AND kind = 'model_call'
    GROUP BY run_id, tool
  ),
  numbered AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      row_number() OVER (PARTITION BY run_id, unit, rollout_id, attempt ORDER BY seq) - 1 AS turn,
      `tool_calls.call_id` AS ids,
      arrayMap(name -> ifNull(name, ''), `tool_calls.name`) AS names
    FROM rollstream.live_steps
    WHERE kind = 'model_call' AND (run_id, epoch, rollout_id, attempt) IN (SELECT run_id, epoch, rollout_id, attempt FROM found)
  ),
  told AS (
    SELECT
      f.run_id AS run_id,
      f.unit AS unit,
      f.rollout_id AS rollout_id,
      f.attempt AS attempt,
      f.turn AS turn,
      f.class AS class,
      multiIf(
        length(arrayDistinct(n.names)) = 1, n.names[1],
        arrayExists(id -> id != '' AND (startsWith(f.detail, concat(left(id, 100), ' (')) OR startsWith(f.detail, concat(left(id, 100), ': '))), n.ids),
        n.names[arrayFirstIndex(id -> id != '' AND (startsWith(f.detail, concat(left(id, 100), ' (')) OR startsWith(f.detail, concat(left(id, 100), ': '))), n.ids)],
        extract(f.detail, '^a call \\((.{1,100}?)\\): ')) AS tool,
      (f.run_id, f.unit, f.rollout_id, f.attempt) NOT IN (SELECT * FROM unproved) AS looked
    FROM found AS f
    LEFT JOIN numbered AS n ON n.run_id = f.run_id AND n.unit = f.unit AND n.rollout_id = f.rollout_id AND n.attempt = f.attempt AND n.turn = f.turn
  ),
  counted AS (
    SELECT
      run_id,
      tool,
      countIf(class = 'malformed') AS malformed,
      countIf(class = 'silent_repair') AS silent_repair,
      countIf(class = 'args_lost') AS args_lost,
      countIf(class = 'think_call_executed') AS think_call_executed,
      countIf(class = 'parser_loss') AS parser_loss,
      count() - malformed - silent_repair - args_lost - think_call_executed - parser_loss AS other_findings,
      uniqExactIf((unit, rollout_id, attempt, turn), looked AND turn >= 0) AS turns_found
    FROM told
    GROUP BY run_id, tool
  )
SELECT
  if(c.run_id = '', f.run_id, c.run_id) AS run_id,
  if(c.run_id = '', f.tool, c.tool) AS tool,
  c.calls AS calls,
  f.malformed AS malformed,
  f.silent_repair AS silent_repair,
  f.args_lost AS args_lost,
  f.think_call_executed AS think_call_executed,
  f.parser_loss AS parser_loss,
  f.other_findings AS other_findings,
  c.turns AS turns,
  c.turns_looked AS turns_looked,
  f.turns_found AS turns_found,
  if(c.turns_looked = 0, NULL, f.turns_found / c.turns_looked) AS rate
FROM called AS c
FULL JOIN counted AS f ON f.run_id = c.run_id AND f.tool = c.tool
ORDER BY run_id, rate DESC NULLS LAST, calls DESC, tool
