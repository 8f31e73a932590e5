-- title: Best concurrency
-- question: How many rollouts at once are the best: throughput, duration and reward by what was in flight beside them?
-- param run: one run; empty: all
-- example: rollstream query --named best_concurrency --param run=math
--
-- Of attempts whose producer told what was in flight when they began, as recorders do.
-- in_flight counts the rollouts of one producer and environment, the attempt itself among them; of its start and its end the
-- larger, since the first of many that begin together is alone for a moment. per_hour: of one producer, by Little's law:
-- in flight / duration. Durations are the producer's own, null where no end told any. mean_reward is over valid rewards, null
-- without any; trained: share in the loss.
WITH
  told AS (
    SELECT
      run_id, unit, rollout_id, attempt,
      any(env_name) AS env_name,
      max(JSONExtract(assumeNotNull(extra_json), 'producer', 'in_flight', 'Nullable(UInt32)')) AS in_flight,
      maxIf(duration_us, kind = 'end') / 1000000 AS seconds
    FROM rollstream.live_steps
    WHERE ({run:String} = '' OR run_id = {run:String}) AND kind IN ('start', 'end') AND JSONHas(ifNull(extra_json, ''), 'producer')
    GROUP BY run_id, unit, rollout_id, attempt
  )
SELECT
  t.run_id AS run_id,
  t.env_name AS env_name,
  toUInt32(exp2(floor(log2(assumeNotNull(t.in_flight))))) AS from_in_flight,
  2 * from_in_flight - 1 AS to_in_flight,
  count() AS attempts,
  avgIf(t.in_flight, isNotNull(t.seconds)) * 3600 / avg(t.seconds) AS per_hour,
  quantileExact(0.5)(t.seconds) AS median_s,
  quantileExact(0.9)(t.seconds) AS p90_s,
  if(countIf(d.reward_valid AND isNotNull(d.reward)) = 0, NULL, avgIf(d.reward, d.reward_valid)) AS mean_reward,
  if(countIf(d.disposition != '') = 0, NULL, countIf(d.in_loss) / countIf(d.disposition != '')) AS trained
FROM told AS t
LEFT JOIN rollstream.live_decisions AS d
  ON d.run_id = t.run_id AND d.unit = t.unit AND d.rollout_id = t.rollout_id AND d.attempt = t.attempt
WHERE t.in_flight > 0
GROUP BY run_id, env_name, from_in_flight
ORDER BY run_id, env_name, from_in_flight
