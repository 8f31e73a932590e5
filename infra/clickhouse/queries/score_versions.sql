-- title: Score versions
-- question: How do the scores of a run compare: those given live, and those of each finished replay?
-- param run: one run; empty: all
-- example: rollstream query --named score_versions --param run=math
--
-- A version is a whole: a replay counts for the units that it decided, live for the rest and for what came behind the replay's end.
-- `own` are the attempts that the version decided itself; policies, taxonomies and scorers (with their versions) are of those.
-- `ready` would train; `scored` have a valid reward, and mean_reward is theirs: null is not 0. `changed` are decided otherwise than
-- live (reason, category, disposition, reward or advantage), changed_share is of those decided in both. `vanished` were decided live
-- and in this version would not have been opened; `appeared` the other way round.
WITH
  live AS (
    SELECT
      run_id, unit, rollout_id, attempt, offset, policy_id, taxonomy_id, reason_code, category, disposition, advantage,
      if(reward_valid, reward, NULL) AS reward_or_null
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String})
  ),
  units AS (
    SELECT run_id, unit, replay_id, end FROM rollstream.replayed_units WHERE ({run:String} = '' OR run_id = {run:String})
  ),
  again AS (
    SELECT
      run_id, unit, rollout_id, attempt, replay_id, policy_id, taxonomy_id, reason_code, category, disposition, advantage,
      if(reward_valid, reward, NULL) AS reward_or_null
    FROM rollstream.decisions FINAL
    WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id IN (SELECT replay_id FROM rollstream.finished_replays)
  ),
  lived AS (
    SELECT
      run_id,
      count() AS n,
      countIf(disposition IN ('train', 'train_masked', 'penalise')) AS n_ready,
      count(reward_or_null) AS n_scored,
      ifNull(sum(reward_or_null), 0) AS total,
      arraySort(groupUniqArray(policy_id)) AS of_policies,
      arraySort(groupUniqArray(taxonomy_id)) AS of_taxonomies
    FROM live
    GROUP BY run_id
  ),
  replaced AS (
    SELECT
      l.run_id AS run_id,
      u.replay_id AS replay_id,
      count() AS n,
      countIf(l.disposition IN ('train', 'train_masked', 'penalise')) AS n_ready,
      count(l.reward_or_null) AS n_scored,
      ifNull(sum(l.reward_or_null), 0) AS total
    FROM live AS l
    INNER JOIN units AS u ON u.run_id = l.run_id AND u.unit = l.unit
    WHERE l.offset < u.end
    GROUP BY run_id, replay_id
  ),
  replayed AS (
    SELECT
      a.run_id AS run_id,
      a.replay_id AS replay_id,
      count() AS n,
      countIf(a.disposition IN ('train', 'train_masked', 'penalise')) AS n_ready,
      count(a.reward_or_null) AS n_scored,
      ifNull(sum(a.reward_or_null), 0) AS total,
      countIf(l.unit != '') AS n_both,
      countIf(l.unit != '' AND (
        a.reason_code != l.reason_code
        OR a.category != l.category
        OR a.disposition != l.disposition
        OR isNull(a.reward_or_null) != isNull(l.reward_or_null)
        OR ifNull(a.reward_or_null != l.reward_or_null, false)
        OR isNull(a.advantage) != isNull(l.advantage)
        OR ifNull(abs(a.advantage - l.advantage) > 1e-9, false))) AS n_changed,
      arraySort(groupUniqArray(a.policy_id)) AS of_policies,
      arraySort(groupUniqArray(a.taxonomy_id)) AS of_taxonomies
    FROM again AS a
    LEFT JOIN live AS l ON l.run_id = a.run_id AND l.unit = a.unit AND l.rollout_id = a.rollout_id AND l.attempt = a.attempt
    GROUP BY run_id, replay_id
  ),
  scorers AS (
    SELECT run_id, replay_id, arraySort(groupUniqArray(trimRight(concat(scorer, ' ', scorer_version)))) AS names
    FROM (
      SELECT run_id, '' AS replay_id, toString(scorer) AS scorer, toString(scorer_version) AS scorer_version
      FROM rollstream.live_rewards
      WHERE ({run:String} = '' OR run_id = {run:String})
      UNION ALL
      SELECT run_id, toString(replay_id), toString(scorer), toString(scorer_version)
      FROM rollstream.rewards
      WHERE ({run:String} = '' OR run_id = {run:String}) AND replay_id IN (SELECT replay_id FROM rollstream.finished_replays)
    )
    GROUP BY run_id, replay_id
  ),
  versions AS (
    SELECT
      run_id, '' AS replay_id, '' AS label, of_policies, of_taxonomies, n AS own, toInt64(n) AS attempts, toInt64(n_ready) AS ready,
      toInt64(n_scored) AS scored, total, n AS n_both, 0 AS changed, 0 AS vanished, 0 AS appeared, CAST(NULL, 'Nullable(DateTime64(3, \'UTC\'))') AS ended_at
    FROM lived
    UNION ALL
    SELECT
      r.run_id, toString(r.replay_id), f.label, r.of_policies, r.of_taxonomies, r.n, l.n - o.n + r.n, l.n_ready - o.n_ready + r.n_ready,
      l.n_scored - o.n_scored + r.n_scored, l.total - o.total + r.total, r.n_both, r.n_changed, o.n - r.n_both, r.n - r.n_both, f.ended_at
    FROM replayed AS r
    LEFT JOIN lived AS l ON l.run_id = r.run_id
    LEFT JOIN replaced AS o ON o.run_id = r.run_id AND o.replay_id = r.replay_id
    INNER JOIN rollstream.finished_replays AS f ON f.replay_id = r.replay_id
  )
SELECT
  v.run_id AS run_id,
  if(v.replay_id = '', 'live', v.replay_id) AS version,
  v.label AS label,
  v.of_policies AS policy_ids,
  v.of_taxonomies AS taxonomy_ids,
  s.names AS scorers,
  v.own AS own,
  v.attempts AS attempts,
  v.ready AS ready,
  v.scored AS scored,
  if(v.scored = 0, NULL, v.total / v.scored) AS mean_reward,
  v.changed AS changed,
  if(v.n_both = 0, NULL, v.changed / v.n_both) AS changed_share,
  v.vanished AS vanished,
  v.appeared AS appeared,
  v.ended_at AS ended_at
FROM versions AS v
LEFT JOIN scorers AS s ON s.run_id = v.run_id AND s.replay_id = v.replay_id
ORDER BY run_id, v.replay_id != '', ended_at, version
