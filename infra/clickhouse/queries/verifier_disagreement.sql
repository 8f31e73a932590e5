-- title: Verifier disagreement
-- question: How much do two versions of a verifier disagree on the attempts that both scored?
-- param run: one run; empty: all
-- example: rollstream query --named verifier_disagreement --param run=math
--
-- Of verdicts that came as events, late ones too, and of those that finished replays scored with. Of one version that spoke twice
-- about the same the last counts. both: attempts (or turns) to which both versions gave a value of the component; a verdict without
-- a value is no 0, and counts nowhere. differ: by more than 1e-9. example_rollout: where they differ most, empty where they agree.
-- Versions that scored nothing in common have no row.
WITH
  -- Most runs have one version of each, and nothing else is read then.
  several AS (
    SELECT run_id, scorer
    FROM (
      SELECT run_id, scorer, scorer_version FROM rollstream.verdicts
      WHERE ({run:String} = '' OR run_id = {run:String}) AND status = 'scored'
      GROUP BY run_id, scorer, scorer_version
      UNION ALL
      SELECT run_id, scorer, scorer_version FROM rollstream.replay_verdicts
      WHERE ({run:String} = '' OR run_id = {run:String}) AND status = 'scored'
      GROUP BY run_id, scorer, scorer_version
    )
    GROUP BY run_id, scorer
    HAVING uniqExact(scorer_version) > 1
  ),
  told AS (
    SELECT run_id, unit, rollout_id, attempt, ifNull(bound_to, -1) AS turn, scorer, scorer_version, late, offset, '' AS replay_id,
      arrayJoin(CAST(rewards, 'Array(Tuple(String, Nullable(Float64)))')) AS reward, reward.1 AS component, reward.2 AS value
    FROM rollstream.live_verdicts
    WHERE ({run:String} = '' OR run_id = {run:String}) AND status = 'scored' AND (run_id, scorer) IN (SELECT run_id, scorer FROM several)
    UNION ALL
    SELECT run_id, unit, rollout_id, attempt, turn, scorer, scorer_version, 1 AS late, 0 AS offset, replay_id,
      arrayJoin(CAST(rewards, 'Array(Tuple(LowCardinality(String), Nullable(Float64)))')) AS reward, reward.1 AS component, reward.2 AS value
    FROM rollstream.replay_verdicts FINAL
    WHERE ({run:String} = '' OR run_id = {run:String}) AND status = 'scored' AND (run_id, scorer) IN (SELECT run_id, scorer FROM several)
      AND replay_id IN (SELECT replay_id FROM rollstream.finished_replays)
  ),
  versions AS (
    SELECT
      run_id, rollout_id, scorer, component, scorer_version,
      sipHash128(unit, rollout_id, attempt, turn) AS place,
      argMax(assumeNotNull(t.value), (t.late, t.offset, t.replay_id)) AS said
    FROM told AS t
    WHERE isNotNull(t.value) AND isFinite(assumeNotNull(t.value))
    GROUP BY run_id, rollout_id, scorer, component, scorer_version, place
  ),
  paired AS (
    SELECT
      run_id, rollout_id, scorer, component,
      arraySort(groupArray((toString(scorer_version), said))) AS told,
      arrayJoin(arrayFlatten(arrayMap(i -> arrayMap(j -> (told[i], told[j]), range(i + 1, length(told) + 1)), range(1, length(told) + 1)))) AS pair
    FROM versions
    GROUP BY run_id, rollout_id, scorer, component, place
    HAVING count() > 1
  )
SELECT
  run_id,
  scorer,
  component,
  pair.1.1 AS version_a,
  pair.2.1 AS version_b,
  count() AS both,
  countIf(abs(pair.1.2 - pair.2.2) > 1e-9) AS differ,
  differ / both AS differ_share,
  avg(pair.1.2) AS mean_a,
  avg(pair.2.2) AS mean_b,
  avg(abs(pair.1.2 - pair.2.2)) AS mean_abs_diff,
  if(differ = 0, '', argMax(rollout_id, (abs(pair.1.2 - pair.2.2), rollout_id))) AS example_rollout
FROM paired
GROUP BY run_id, scorer, component, version_a, version_b
ORDER BY run_id, differ_share DESC, scorer, component, version_a, version_b
