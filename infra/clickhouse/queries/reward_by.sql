-- title: Reward by reason, length and turns
-- question: Which endings, lengths and numbers of turns are rewarded?
-- param run: one run; empty: all
-- example: rollstream query --named reward_by --param run=math
--
-- Of attempts that were decided, those that a higher attempt superseded left out. dimension: reason (the one that accounting
-- counts), length (sampled tokens) or turns (model calls); each attempt is in one bucket of each. bucket_order: their order in a
-- chart, from 0; of reasons the most frequent first. scored: with a valid reward, and the figures are theirs, null without any:
-- null is not 0. p10, p50, p90: rewards that were given, none in between. zero: scored with reward 0.
WITH
  bucketed AS (
    SELECT
      run_id,
      reward_valid AND isNotNull(reward) AS isScored,
      assumeNotNull(reward) AS given,
      arrayJoin([
        ('reason', toString(why[1]), 0),
        ('length', multiIf(n_sampled_tokens < 256, 'below 256', n_sampled_tokens < 1024, '256 to 1 Ki', n_sampled_tokens < 4096, '1 to 4 Ki',
          n_sampled_tokens < 16384, '4 to 16 Ki', n_sampled_tokens < 65536, '16 to 64 Ki', '64 Ki and more'),
          multiIf(n_sampled_tokens < 256, 0, n_sampled_tokens < 1024, 1, n_sampled_tokens < 4096, 2,
          n_sampled_tokens < 16384, 3, n_sampled_tokens < 65536, 4, 5)),
        ('turns', multiIf(n_turns = 0, '0', n_turns = 1, '1', n_turns < 4, '2 to 3', n_turns < 8, '4 to 7', n_turns < 16, '8 to 15',
          n_turns < 32, '16 to 31', n_turns < 64, '32 to 63', '64 and more'),
          multiIf(n_turns = 0, 0, n_turns = 1, 1, n_turns < 4, 2, n_turns < 8, 3, n_turns < 16, 4, n_turns < 32, 5, n_turns < 64, 6, 7))
      ]) AS place
    FROM rollstream.live_decisions
    WHERE ({run:String} = '' OR run_id = {run:String}) AND disposition != 'superseded'
  ),
  counted AS (
    SELECT
      run_id,
      place.1 AS dimension,
      place.2 AS bucket,
      any(place.3) AS rank,
      count() AS attempts,
      countIf(isScored) AS scored,
      avgIf(given, isScored) AS mean,
      quantilesExactIf(0.1, 0.5, 0.9)(given, isScored) AS percentiles,
      countIf(isScored AND given = 0) AS zero
    FROM bucketed
    GROUP BY run_id, dimension, bucket
  )
SELECT
  run_id,
  dimension,
  bucket,
  if(dimension = 'reason', row_number() OVER (PARTITION BY run_id, dimension ORDER BY attempts DESC, bucket) - 1, rank) AS bucket_order,
  attempts,
  scored,
  if(scored = 0, NULL, mean) AS mean_reward,
  if(scored = 0, NULL, percentiles[1]) AS p10,
  if(scored = 0, NULL, percentiles[2]) AS p50,
  if(scored = 0, NULL, percentiles[3]) AS p90,
  zero
FROM counted
ORDER BY run_id, dimension, bucket_order
