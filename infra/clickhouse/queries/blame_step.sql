-- title: Blame: trajectories of a step
-- question: Which trajectories did one optimizer step train on, and how much could each of them move the weights?
-- param before = 0: the steps before it, how many of them
-- param lineage: history of the trainer; empty: the one in force
-- param run: the run that was trained
-- param step: step of the trainer
-- example: rollstream query --named blame_step --param run=math --param step=12
--
-- Of the history in force what survives rewinds; of another one what was trained in it and not again since. The version that was
-- trained counts (replay_id; empty: as it was decided live): reason, reward, advantage and loss_tokens are its. weight: |advantage| x
-- loss_tokens; null: no advantage was computed, which is not 0, or its rows are not there. lag: at use; null: unknown. classes: what
-- audits found, of the same version where audits looked again; is_audited: some audit could look. tokens: of all its segments.
WITH
  (
    SELECT groupArray((lineage, step)) FROM rollstream.lineages FINAL
    WHERE run_id = {run:String} AND kind = 'rewind' AND ({lineage:String} = '' OR lineage <= accurateCast(if({lineage:String} = '', '0', {lineage:String}), 'Int32'))
  ) AS cuts,
  (
    SELECT if(count() = 0, {step:Int64}, min(at_step)) FROM (
      SELECT DISTINCT assumeNotNull(step) AS at_step FROM rollstream.deliveries FINAL
      WHERE run_id = {run:String} AND state = 'trained' AND step < {step:Int64}
        AND ({lineage:String} = '' OR lineage <= accurateCast(if({lineage:String} = '', '0', {lineage:String}), 'Int32'))
        AND NOT arrayExists(cut -> cut.1 > lineage AND cut.2 < step, cuts)
      ORDER BY at_step DESC
      LIMIT {before:UInt32}
    )
  ) AS since,
  -- More than is needed: what was trained and is no more, other versions. Who is asked for is said once, below.
  maybe AS (
    SELECT decodeURLComponent(splitByChar('/', unit)[1]) AS sampled_in, unit, rollout_id, attempt, replay_id
    FROM rollstream.deliveries
    WHERE run_id = {run:String} AND step BETWEEN since AND {step:Int64}
  ),
  decided AS (
    SELECT unit, rollout_id, attempt, '' AS version, env_name, task_id, why, disposition, reward, reward_valid, advantage
    FROM rollstream.live_decisions
    WHERE (run_id, unit, rollout_id, attempt) IN (SELECT sampled_in, unit, rollout_id, attempt FROM maybe)
    UNION ALL
    SELECT unit, rollout_id, attempt, toString(replay_id), env_name, task_id, why, disposition, reward, reward_valid, advantage
    FROM rollstream.decisions FINAL
    WHERE replay_id != '' AND (run_id, unit, rollout_id, attempt, replay_id) IN (SELECT sampled_in, unit, rollout_id, attempt, replay_id FROM maybe)
  ),
  assembled AS (
    SELECT unit, rollout_id, attempt, '' AS version, rollout_loss_tokens
    FROM rollstream.live_trajectories
    WHERE (run_id, rollout_id) IN (SELECT sampled_in, rollout_id FROM maybe)
    UNION ALL
    SELECT unit, rollout_id, attempt, toString(replay_id), rollout_loss_tokens
    FROM rollstream.trajectories FINAL
    WHERE replay_id != '' AND (run_id, rollout_id, replay_id) IN (SELECT sampled_in, rollout_id, replay_id FROM maybe)
  ),
  said AS (
    SELECT unit, rollout_id, attempt, '' AS version, toString(class) AS class, result
    FROM rollstream.live_audits
    WHERE (run_id, unit, rollout_id, attempt) IN (SELECT sampled_in, unit, rollout_id, attempt FROM maybe)
    UNION ALL
    SELECT unit, rollout_id, attempt, toString(replay_id), toString(class), result
    FROM rollstream.audits FINAL
    WHERE replay_id != '' AND (run_id, unit, rollout_id, attempt, replay_id) IN (SELECT sampled_in, unit, rollout_id, attempt, replay_id FROM maybe)
  ),
  found AS (
    SELECT unit, rollout_id, attempt, mapFromArrays(groupArray(version), groupArray((classes, looked))) AS by_version
    FROM (
      SELECT unit, rollout_id, attempt, version, arraySort(groupUniqArrayIf(class, class != '')) AS classes, max(result != 'not_auditable') AS looked
      FROM said
      GROUP BY unit, rollout_id, attempt, version
    )
    GROUP BY unit, rollout_id, attempt
  )
SELECT
  p.run_id AS run_id,
  assumeNotNull(p.step) AS step,
  p.lineage AS lineage,
  p.unit AS unit,
  p.rollout_id AS rollout_id,
  p.attempt AS attempt,
  p.replay_id AS replay_id,
  d.env_name AS env_name,
  d.task_id AS task_id,
  d.why[1] AS reason,
  d.disposition AS disposition,
  if(d.reward_valid, d.reward, NULL) AS reward,
  d.advantage AS advantage,
  if(t.unit = '', NULL, t.rollout_loss_tokens) AS loss_tokens,
  abs(advantage) * loss_tokens AS weight,
  p.tokens AS tokens,
  p.lag AS lag,
  f.by_version[if(mapContains(f.by_version, p.replay_id), p.replay_id, '')].1 AS classes,
  CAST(f.by_version[if(mapContains(f.by_version, p.replay_id), p.replay_id, '')].2, 'Bool') AS is_audited
FROM (
  SELECT run_id, unit, rollout_id, attempt, replay_id, ready_offset, lineage, step, lag, tokens
  FROM rollstream.deliveries FINAL
  WHERE run_id = {run:String} AND state = 'trained' AND step BETWEEN since AND {step:Int64}
    AND ({lineage:String} = '' OR lineage <= accurateCast(if({lineage:String} = '', '0', {lineage:String}), 'Int32'))
    AND NOT arrayExists(cut -> cut.1 > lineage AND cut.2 < step, cuts)
) AS p
LEFT JOIN decided AS d ON d.unit = p.unit AND d.rollout_id = p.rollout_id AND d.attempt = p.attempt AND d.version = p.replay_id
LEFT JOIN assembled AS t ON t.unit = p.unit AND t.rollout_id = p.rollout_id AND t.attempt = p.attempt AND t.version = p.replay_id
LEFT JOIN found AS f ON f.unit = p.unit AND f.rollout_id = p.rollout_id AND f.attempt = p.attempt
ORDER BY step DESC, weight DESC NULLS LAST, p.ready_offset
