-- title: Audit results
-- question: How often does each audit fail, and of how many attempts can it say anything?
-- param run: one run; empty: all
-- example: rollstream query --named audit_results --param run=math
--
-- A row is a run and an audit; pass, warn, fail and not_auditable count attempts, each once: where an audit spoke more than once
-- (deferred first, or by a tokenizer later) the worst counts. Attempts that a higher one superseded are not audited.
-- auditable_share: those of which it could say something, of all. fail_rate is of the auditable, with its 95 % interval (Wilson);
-- null without any: not auditable is no pass.
WITH said AS (
  SELECT
    run_id, unit, rollout_id, attempt, audit,
    max(indexOf(['not_auditable', 'pass', 'warn', 'fail'], result)) AS worst
  FROM rollstream.live_audits
  WHERE {run:String} IN ('', run_id)
  GROUP BY run_id, unit, rollout_id, attempt, audit
)
SELECT
  run_id,
  audit,
  countIf(worst = 2) AS pass,
  countIf(worst = 3) AS warn,
  countIf(worst = 4) AS fail,
  countIf(worst = 1) AS not_auditable,
  pass + warn + fail AS auditable,
  auditable / (auditable + not_auditable) AS auditable_share,
  if(auditable = 0, NULL, fail / auditable) AS fail_rate,
  multiIf(auditable = 0, NULL, fail = 0, 0, (fail_rate + 3.8416 / (2 * auditable)
    - 1.96 * sqrt(fail_rate * (1 - fail_rate) / auditable + 3.8416 / (4 * auditable * auditable))) / (1 + 3.8416 / auditable)) AS fail_low,
  multiIf(auditable = 0, NULL, fail = auditable, 1, (fail_rate + 3.8416 / (2 * auditable)
    + 1.96 * sqrt(fail_rate * (1 - fail_rate) / auditable + 3.8416 / (4 * auditable * auditable))) / (1 + 3.8416 / auditable)) AS fail_high
FROM said
GROUP BY run_id, audit
ORDER BY run_id, audit
