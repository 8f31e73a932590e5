-- title: Drift rates
-- question: How often does each audit find each class of faults, hour by hour?
-- param run: one run; empty: all
-- example: rollstream query --named drift_rates --param run=math
--
-- A row is an hour, an audit and a class that it found anywhere in the run, so that a line over time has its zeros. hour: of the end
-- of the attempts, by the source's clock (UTC); null where it gives no time. severity: fail or warn, as the finding says.
-- attempts_looked: attempts of which the audit could say something (where it spoke more than once, the worst counts);
-- attempts_found: those of them that have the finding; rate: their share, null where it looked at none: not auditable is no pass.
-- attempts_in_part: attempts with the finding that it could not audit whole; they are not in the rate.
WITH
  said AS (
    SELECT
      run_id, unit, rollout_id, attempt, audit,
      max(result != 'not_auditable') AS looked,
      groupUniqArrayIf((toString(class), toString(severity)), class != '') AS found
    FROM rollstream.live_audits
    WHERE {run:String} IN ('', run_id)
    GROUP BY run_id, unit, rollout_id, attempt, audit
  ),
  timed AS (
    SELECT s.run_id AS run_id, s.audit AS audit, s.looked AS looked, s.found AS found, toStartOfHour(d.ended_at) AS hour
    FROM said AS s
    INNER JOIN (
      SELECT run_id, unit, rollout_id, attempt, ended_at FROM rollstream.live_decisions WHERE {run:String} IN ('', run_id)
    ) AS d ON d.run_id = s.run_id AND d.unit = s.unit AND d.rollout_id = s.rollout_id AND d.attempt = s.attempt
  ),
  hours AS (
    SELECT run_id, hour, audit, countIf(looked) AS attempts_looked FROM timed GROUP BY run_id, hour, audit
  ),
  classes AS (
    SELECT DISTINCT run_id, audit, arrayJoin(found) AS one FROM timed
  ),
  hits AS (
    SELECT run_id, hour, audit, arrayJoin(found) AS one, countIf(looked) AS whole, countIf(NOT looked) AS in_part
    FROM timed
    GROUP BY run_id, hour, audit, one
  )
SELECT
  h.run_id AS run_id,
  h.hour AS hour,
  h.audit AS audit,
  c.one.1 AS class,
  c.one.2 AS severity,
  h.attempts_looked AS attempts_looked,
  f.whole AS attempts_found,
  if(attempts_looked = 0, NULL, attempts_found / attempts_looked) AS rate,
  f.in_part AS attempts_in_part
FROM hours AS h
INNER JOIN classes AS c ON c.run_id = h.run_id AND c.audit = h.audit
LEFT JOIN hits AS f ON f.run_id = h.run_id AND f.audit = h.audit AND f.one = c.one AND ifNull(f.hour, toDateTime(0, 'UTC')) = ifNull(h.hour, toDateTime(0, 'UTC'))
ORDER BY run_id, hour NULLS LAST, audit, class, severity
