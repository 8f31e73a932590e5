-- title: Audit results
-- question: How often does each audit fail, and of how many attempts can it say anything?
-- param run: one run; empty: all
-- example: rollstream query --named audit_results --param run=math
--
-- A row is a run and an audit; pass, warn, fail and not_auditable count attempts, each once: where an audit spoke more than once
-- (deferred first, or by a tokenizer later) the worst counts. Attempts that a higher one superseded are not audited.
-- auditable_share: those of which it could say something, of all. fail_rate is of the auditable, with its 95 % interval (Wilson);
-- null without any: not auditable is no pass.
WITH
  -- Four bits an audit: not_auditable, pass, warn, fail were said.
  -- What was deferred when an attempt was decided is in audits alone.
  late AS (
    SELECT
      sipHash64(run_id, unit, rollout_id, attempt) AS name,
      groupBitOr(bitShiftLeft(
        transform(toString(result), ['not_auditable', 'pass', 'warn', 'fail'], [1, 2, 4, 8], 0)::UInt32,
        4 * (indexOf(['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'], audit) - 1))) AS said
    FROM rollstream.live_audits
    WHERE ({run:String} = '' OR run_id = {run:String}) AND (run_id, unit, rollout_id, attempt) IN (
      SELECT run_id, unit, rollout_id, attempt FROM rollstream.trajectories
      WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = '' AND audit_missing['reencode'] = 'deferred')
    GROUP BY name
  ),
  told AS (
    SELECT
      run_id,
      audit_tokens, audit_template, audit_tools, audit_termination, audit_numbers, audit_wall, audit_reencode,
      if(audit_missing['reencode'] = 'deferred', sipHash64(run_id, unit, rollout_id, attempt), 0) AS name,
      count() AS n
    FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String})
    GROUP BY run_id, audit_tokens, audit_template, audit_tools, audit_termination, audit_numbers, audit_wall, audit_reencode, name
  ),
  alike AS (
    SELECT
      t.run_id AS run_id,
      sum(t.n) AS n,
      bitOr(arraySum(arrayMap(
        (result, i) -> bitShiftLeft(transform(result, ['not_auditable', 'pass', 'warn', 'fail'], [1, 2, 4, 8], 0)::UInt32, 4 * (i - 1)),
        arrayMap(one -> toString(one),
          [t.audit_tokens, t.audit_template, t.audit_tools, t.audit_termination, t.audit_numbers, t.audit_wall, t.audit_reencode]),
        range(1, 8))), l.said) AS all_said,
      arrayJoin(arrayZip(
        ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'],
        arrayMap(i -> bitAnd(bitShiftRight(all_said, 4 * i), 15), range(7)))) AS one
    FROM told AS t
    LEFT JOIN late AS l ON l.name = t.name
    GROUP BY run_id, all_said
  ),
  counted AS (
    SELECT
      run_id,
      one.1 AS audit,
      sumIf(n, one.2 IN (2, 3)) AS pass,
      sumIf(n, one.2 BETWEEN 4 AND 7) AS warn,
      sumIf(n, one.2 >= 8) AS fail,
      sumIf(n, one.2 = 1) AS not_auditable
    FROM alike
    GROUP BY run_id, audit
  )
SELECT
  run_id,
  audit,
  pass,
  warn,
  fail,
  not_auditable,
  pass + warn + fail AS auditable,
  auditable / (auditable + not_auditable) AS auditable_share,
  if(auditable = 0, NULL, fail / auditable) AS fail_rate,
  multiIf(auditable = 0, NULL, fail = 0, 0, (fail_rate + 3.8416 / (2 * auditable)
    - 1.96 * sqrt(fail_rate * (1 - fail_rate) / auditable + 3.8416 / (4 * auditable * auditable))) / (1 + 3.8416 / auditable)) AS fail_low,
  multiIf(auditable = 0, NULL, fail = auditable, 1, (fail_rate + 3.8416 / (2 * auditable)
    + 1.96 * sqrt(fail_rate * (1 - fail_rate) / auditable + 3.8416 / (4 * auditable * auditable))) / (1 + 3.8416 / auditable)) AS fail_high
FROM counted
ORDER BY run_id, audit
