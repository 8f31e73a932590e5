-- title: Audit offenders
-- question: Which rollouts did the audits find something in, with what was there and what should have been?
-- param run: one run; empty: all
-- param audit: one audit; empty: all
-- param class: one class of findings; empty: all
-- param limit = 50: how many findings, the worst first
-- example: rollstream query --named audit_offenders --param run=math --param audit=tools
--
-- A row is a finding; those that fail first, and of these the ones found last. turn: model call, from 0; index: token or character;
-- -1: the finding has none. ids and text: what was there, around the place; expected_ids and expected_text: what should have been;
-- empty: not told. An attempt of which an audit could not say all may have findings, too.
WITH found AS (
  SELECT run_id, unit, rollout_id, attempt, audit, class, severity, turn, `index`, detail, ids, expected_ids, text, expected_text,
    partition, offset
  FROM rollstream.live_audits
  WHERE ({run:String} = '' OR run_id = {run:String}) AND ({audit:String} = '' OR audit = {audit:String}) AND ({class:String} = '' OR class = {class:String}) AND class != ''
  ORDER BY severity = 'fail' DESC, offset DESC, partition, run_id, unit, rollout_id, attempt, audit, class, turn, `index`
  LIMIT {limit:UInt32}
)
SELECT
  f.run_id AS run_id,
  f.rollout_id AS rollout_id,
  f.attempt AS attempt,
  d.env_name AS env_name,
  d.task_id AS task_id,
  f.audit AS audit,
  f.class AS class,
  f.severity AS severity,
  f.turn AS turn,
  f.`index` AS `index`,
  f.detail AS detail,
  f.ids AS ids,
  f.expected_ids AS expected_ids,
  f.text AS text,
  f.expected_text AS expected_text
FROM (
  SELECT run_id, unit, rollout_id, attempt, env_name, task_id FROM rollstream.live_decisions WHERE ({run:String} = '' OR run_id = {run:String})
) AS d
RIGHT JOIN found AS f ON d.run_id = f.run_id AND d.unit = f.unit AND d.rollout_id = f.rollout_id AND d.attempt = f.attempt
ORDER BY severity = 'fail' DESC, f.offset DESC, f.partition, run_id, f.unit, rollout_id, attempt, audit, class, turn, `index`
