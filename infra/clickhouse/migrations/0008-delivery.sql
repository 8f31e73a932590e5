-- What became of ready trajectories: by whom and until when each is leased, in which step it was trained; rewinds and forks.

-- Made anew: nothing wrote it. A run that was forked has rows of its own on what it took over, so that the key is the run and the
-- offset, not the attempt.
DROP TABLE IF EXISTS rollstream.deliveries;

CREATE TABLE IF NOT EXISTS rollstream.deliveries (
  `run_id` LowCardinality(String) COMMENT 'Training run that it is delivered in: of what a fork took over not the one that it was sampled for',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `ready_offset` Int64 COMMENT 'Offset in the ready topic: its name in every run that shares it',
  `state` LowCardinality(String) COMMENT 'queued, leased, trained, expired, undeliverable, trainer_rejected, as it was written; see live_deliveries. No row: queued, never delivered',
  `lease_id` String COMMENT 'Last lease; empty: none',
  `lineage` Int32 COMMENT 'History of the trainer that the state belongs to: 0, one more with each rewind of the run',
  `step` Nullable(Int64) COMMENT 'Step of the trainer that trained it; null: it was not trained',
  `consumer` String COMMENT 'Who took it; empty: nobody has',
  `deliveries` Int32 COMMENT 'Grants since it was last trained',
  `reason` String COMMENT 'Why it was rejected, expired or could not be delivered; else empty',
  `weights_version` LowCardinality(String) COMMENT 'Weights that the step made; empty: not trained, or the trainer did not say',
  `lag` Nullable(Int32) COMMENT 'Lag at use: when it was acked, newest weights minus the oldest that sampled it, in announcements; null: unknown, or not acked',
  `tokens` UInt64 COMMENT 'Tokens of all its segments',
  `deadline` Nullable(DateTime64(3, 'UTC')) COMMENT 'When the lease runs out, UTC; null: it is not leased',
  `ready_at` DateTime64(3, 'UTC') COMMENT 'When it was written to the ready topic, UTC',
  `taken_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was granted last, UTC; null: never',
  `ended_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'When that ended: acked, released, rejected, expired …, UTC; null: it has not',
  `waited_ms` Nullable(Int64) COMMENT 'Of the request that took it: how long it had waited for enough, ms; null: never taken',
  `at` DateTime64(3, 'UTC') COMMENT 'When it was written, UTC',
  `version` UInt64 COMMENT 'Position in the lease log: claim × 2^40 + number of the record in it; of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `ready_offset`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Last fact about each ready trajectory in each run';

CREATE TABLE IF NOT EXISTS rollstream.delivery_leases (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `lease_id` String COMMENT 'Lease',
  `lineage` Int32 COMMENT 'History of the trainer that it was granted in',
  `consumer` String COMMENT 'Who asked first',
  `key_name` String COMMENT 'Replica or consumer, or step: all that ask with one key get one answer',
  `key_index` Int64 COMMENT 'Batch index of the replica, or step of the trainer',
  `key_try` Int32 COMMENT 'Try: one more each time the answer was that there is not enough',
  `dp` Int32 COMMENT 'Ranks that share it; 0: one consumer has it all',
  `unit` LowCardinality(String) COMMENT 'group: whole groups; rollout: one by one',
  `trajectories` Int32 COMMENT 'Trajectories in it',
  `tokens` UInt64 COMMENT 'Their tokens',
  `waited_ms` Int64 COMMENT 'How long the request had waited for enough, ms',
  `granted_at` DateTime64(3, 'UTC') COMMENT 'When it was first granted, UTC',
  `deadline` DateTime64(3, 'UTC') COMMENT 'When it runs out, extensions included, UTC',
  `ended_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was acked, released or rejected, UTC; null: it was not (what ran out has no end)',
  `ended_how` LowCardinality(String) COMMENT 'trained, queued (released), trainer_rejected; empty: it has not ended',
  `step` Nullable(Int64) COMMENT 'Step of the trainer that trained it; null: it was not trained',
  `version` UInt64 COMMENT 'Position in the lease log: claim × 2^40 + number of the record in it; of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `lease_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Grants, one row each, by their last word';

CREATE TABLE IF NOT EXISTS rollstream.lineages (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting; of a fork the new one',
  `kind` LowCardinality(String) COMMENT 'rewind: opens lineage at a checkpoint; seal: a checkpoint that can be restored; fork: the run begins with the books of parent',
  `lineage` Int32 COMMENT 'Of a rewind the one that it opened, of a seal the one that it was saved in, of a fork 0',
  `of_lineage` Int32 COMMENT 'Lineage of the checkpoint that was restored; of a seal equal to lineage',
  `step` Int64 COMMENT 'Step of the checkpoint',
  `request` String COMMENT 'Name of the request: asked again it has no effect; empty: a seal',
  `parent` String COMMENT 'Of a fork the run whose books it took over; else empty',
  `inherited` Int64 COMMENT 'Of a fork how many trajectories it took over; else 0',
  `finals` Map(LowCardinality(String), Int64) COMMENT 'Of a fork by state: those of inherited that were final, which have no rows of their own in deliveries',
  `versions` Int64 COMMENT 'Of a fork how many versions of the weights came before those that it announces itself; else 0',
  `at` DateTime64(3, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'Position in the lease log: claim × 2^40 + number of the record in it; of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `kind`, `lineage`, `step`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Checkpoints, rewinds and forks of runs';

-- An expiry by the clock and a rewind write no rows: a lease that ran out, or of a history that was left, is queued again, and so is
-- what was trained behind the step that a later lineage begins at. What expired, was rejected or cannot be delivered stays so.
CREATE OR REPLACE VIEW rollstream.live_deliveries AS
SELECT
  r.* EXCEPT (state),
  multiIf(
    r.state = 'trained',
      if(arrayExists(cut -> cut.1 > r.lineage AND cut.2 < ifNull(r.step, 0), w.cuts), 'queued', 'trained'),
    r.state = 'leased', if(r.lineage = w.current AND ifNull(r.deadline > now64(3), false), 'leased', 'queued'),
    toString(r.state)) AS state,
  toString(r.state) AS recorded_state
FROM rollstream.deliveries AS r FINAL
LEFT JOIN (
  SELECT run_id, max(lineage) AS current, groupArray((lineage, step)) AS cuts
  FROM rollstream.lineages FINAL
  WHERE kind = 'rewind'
  GROUP BY run_id
) AS w ON w.run_id = r.run_id
COMMENT 'Deliveries as of now: state after rewinds and deadlines, recorded_state as it was written';
