-- title: First come, first served bias
-- question: Are the slow and the long left out: what started against what trained, by duration, length and task?
-- param run: one run; empty: all
-- example: rollstream query --named fcfs_bias --param run=math
--
-- trained: in the loss. stale_dropped, stale_masked, stale_tokens: by the age of the
-- weights, whole or in part. Shares are of the run; ratio below 1: under-represented in training. A duration is that of the
-- source's own clock, and no_time where it has none, or where it went backwards; open: not decided yet.
WITH rollouts AS (
  SELECT
    a.run_id AS run_id,
    a.task_id AS task_id,
    d.disposition != '' AS isDecided,
    if(isNull(d.started_at) OR isNull(d.ended_at), -1, dateDiff('millisecond', d.started_at, d.ended_at) / 1000) AS seconds,
    d.n_sampled_tokens AS tokens,
    d.in_loss AS inLoss,
    has(d.why, 'stale') AND d.disposition = 'drop' AS isStaleDropped,
    has(d.why, 'stale') AND d.disposition = 'train_masked' AS isStaleMasked,
    has(d.why, 'stale_tokens') AS hasStaleTokens
  FROM rollstream.live_attempts AS a
  LEFT JOIN rollstream.live_decisions AS d
    ON d.run_id = a.run_id AND d.unit = a.unit AND d.rollout_id = a.rollout_id AND d.attempt = a.attempt
  WHERE ({run:String} = '' OR a.run_id = {run:String})
),
bucketed AS (
  SELECT
    *,
    arrayJoin([
      ('duration', multiIf(NOT isDecided, 'open', seconds < 0, 'no_time', seconds < 1, '0 to 1 s', seconds < 10, '1 to 10 s',
        seconds < 60, '10 to 60 s', seconds < 600, '1 to 10 min', seconds < 3600, '10 to 60 min', '1 h and more')),
      ('length', multiIf(NOT isDecided, 'open', tokens < 256, 'below 256', tokens < 1024, '256 to 1 Ki', tokens < 4096, '1 to 4 Ki',
        tokens < 16384, '4 to 16 Ki', tokens < 65536, '16 to 64 Ki', '64 Ki and more')),
      ('task', task_id)
    ]) AS place
  FROM rollouts
),
counted AS (
  SELECT
    run_id,
    place.1 AS dimension,
    place.2 AS bucket,
    count() AS started,
    countIf(inLoss) AS trained,
    countIf(isStaleDropped) AS stale_dropped,
    countIf(isStaleMasked) AS stale_masked,
    countIf(hasStaleTokens) AS stale_tokens,
    min(seconds) AS shortest,
    min(tokens) AS fewest
  FROM bucketed
  GROUP BY run_id, dimension, bucket
)
SELECT
  run_id,
  dimension,
  bucket,
  started,
  trained,
  stale_dropped,
  stale_masked,
  stale_tokens,
  round(started / sum(started) OVER w, 4) AS share_started,
  if(sum(trained) OVER w = 0, NULL, round(trained / sum(trained) OVER w, 4)) AS share_trained,
  if(sum(trained) OVER w = 0, NULL, round((trained / sum(trained) OVER w) / (started / sum(started) OVER w), 4)) AS ratio
FROM counted
WINDOW w AS (PARTITION BY run_id, dimension)
ORDER BY run_id, dimension, multiIf(dimension = 'duration', toFloat64(shortest), dimension = 'length', toFloat64(fewest), 0.0), bucket
