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
  found AS (
    SELECT
      sipHash64(r.run_id, r.unit, r.rollout_id, r.attempt) AS name,
      arrayDistinct(groupArray((toString(r.audit), toString(r.class), toString(r.severity),
        indexOf(['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'], r.audit)))) AS classes,
      groupBitOr(bitShiftLeft(
        transform(toString(r.result), ['not_auditable', 'pass', 'warn', 'fail'], [1, 2, 4, 8], 0)::UInt32,
        4 * (indexOf(['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'], r.audit) - 1))) AS said
    FROM (
      -- As FINAL does, of the few rows that are findings.
      SELECT run_id, unit, rollout_id, attempt, audit, class, severity, result, topic, partition, term, offset
      FROM rollstream.audits
      WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = '' AND class != ''
      ORDER BY version DESC
      LIMIT 1 BY run_id, unit, rollout_id, attempt, audit, class, turn, `index`
    ) AS r
    INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
    WHERE r.offset < o.below
    GROUP BY name
  ),
  told AS (
    SELECT
      run_id,
      toStartOfHour(ended_at) AS hour,
      audit_tokens, audit_template, audit_tools, audit_termination, audit_numbers, audit_wall, audit_reencode,
      if(audit_missing['reencode'] = 'deferred' OR sipHash64(run_id, unit, rollout_id, attempt) IN (
        SELECT sipHash64(run_id, unit, rollout_id, attempt) FROM rollstream.audits
        WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id = '' AND class != ''), sipHash64(run_id, unit, rollout_id, attempt), 0) AS name,
      count() AS n
    FROM rollstream.live_trajectories
    WHERE ({run:String} = '' OR run_id = {run:String})
    GROUP BY run_id, hour, audit_tokens, audit_template, audit_tools, audit_termination, audit_numbers, audit_wall, audit_reencode, name
  ),
  timed AS (
    SELECT
      t.run_id AS run_id,
      t.hour AS hour,
      bitOr(bitOr(arraySum(arrayMap(
        (result, i) -> bitShiftLeft(transform(result, ['not_auditable', 'pass', 'warn', 'fail'], [1, 2, 4, 8], 0)::UInt32, 4 * (i - 1)),
        arrayMap(one -> toString(one),
          [t.audit_tokens, t.audit_template, t.audit_tools, t.audit_termination, t.audit_numbers, t.audit_wall, t.audit_reencode]),
        range(1, 8))), l.said), f.said) AS all_said,
      arrayMap(i -> bitAnd(bitShiftRight(all_said, 4 * i), 14) > 0, range(7)) AS looked,
      f.classes AS found,
      sum(t.n) AS n
    FROM told AS t
    LEFT JOIN late AS l ON l.name = t.name
    LEFT JOIN found AS f ON f.name = t.name
    GROUP BY run_id, hour, all_said, found
  ),
  hours AS (
    SELECT
      run_id,
      hour,
      sumForEach(arrayMap(can -> if(can, n, 0), looked)) AS looked_by_place,
      groupArrayArray(arrayMap(one -> (one, looked[one.4], n), found)) AS hits
    FROM timed
    GROUP BY run_id, hour
  ),
  classed AS (
    SELECT
      run_id,
      hour,
      looked_by_place,
      hits,
      arrayJoin(arrayDistinct(arrayFlatten(groupArray(arrayMap(hit -> hit.1, hits)) OVER (PARTITION BY run_id)))) AS one
    FROM hours
  )
SELECT
  run_id,
  hour,
  one.1 AS audit,
  one.2 AS class,
  one.3 AS severity,
  looked_by_place[one.4] AS attempts_looked,
  arraySum(arrayMap(hit -> if(hit.1 = one AND hit.2, hit.3, 0), hits)) AS attempts_found,
  if(attempts_looked = 0, NULL, attempts_found / attempts_looked) AS rate,
  arraySum(arrayMap(hit -> if(hit.1 = one AND NOT hit.2, hit.3, 0), hits)) AS attempts_in_part
FROM classed
ORDER BY run_id, hour NULLS LAST, audit, class, severity
