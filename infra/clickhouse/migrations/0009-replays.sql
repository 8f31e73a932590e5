-- Scored again: which replays there are, how far each is, what it was told, what it emitted; decisions under the newest of them.
-- What a replay decides stands in decisions, rewards, audits and trajectories beside the live rows, under its replay_id, with term 0
-- and the offset of the live row: written again they are the same rows. They count when the replay is done and was to be saved.

-- Made anew: nothing wrote it.
DROP TABLE IF EXISTS rollstream.replays;

CREATE TABLE IF NOT EXISTS rollstream.replays (
  `replay_id` String COMMENT 'Replay',
  `label` String COMMENT 'Name that a person gave it; empty: none',
  `state` LowCardinality(String) COMMENT 'running, emitting, done, failed, cancelled',
  `request_json` String COMMENT 'What was asked for, documents by their ids, JSON: what a resume goes on with' CODEC(ZSTD(3)),
  `policy_id` LowCardinality(String) COMMENT 'SHA-256 of the policy that it scores under; empty: the one that decided then. See documents',
  `taxonomy_id` LowCardinality(String) COMMENT 'SHA-256 of the taxonomy that it scores under; empty: the one that decided then. See documents',
  `against` String COMMENT 'Replay that it is compared with and supersedes; empty: the live decisions',
  `saved` Bool COMMENT 'Its rows are kept; else it is a report only',
  `emit_topic` String COMMENT 'Topic that it emits to; empty: it does not',
  `chunks` Int64 COMMENT 'Pieces that it is made in',
  `chunks_done` Int64 COMMENT 'Those that are done',
  `units` Int64 COMMENT 'Units in all of them',
  `units_done` Int64 COMMENT 'Those of the pieces that are done',
  `attempts` Int64 COMMENT 'Attempts decided again so far',
  `changed` Int64 COMMENT 'Those that were decided otherwise',
  `refused` Int64 COMMENT 'Rollouts that cannot be replayed so far; see refused_json of replay_chunks',
  `emitted` Int64 COMMENT 'Trajectories that it has emitted so far',
  `report_json` String COMMENT 'What it changed and left out, JSON; empty: it is not done' CODEC(ZSTD(3)),
  `error` String COMMENT 'What ended it, JSON; empty: nothing did',
  `started_at` DateTime64(3, 'UTC') COMMENT 'When it was asked for, UTC',
  `ended_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was done, failed or cancelled, UTC; null: it works',
  `at` DateTime64(3, 'UTC') COMMENT 'When this was written, UTC',
  `version` UInt64 COMMENT 'A counter: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`replay_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Replays asked for, and how far they are';

CREATE TABLE IF NOT EXISTS rollstream.replay_chunks (
  `replay_id` String COMMENT 'Replay',
  `chunk` Int32 COMMENT 'Number of the piece, from 0 over all partitions; -1: what the plan itself refused',
  `partition` Int32 COMMENT 'Partition of the log that its units are in',
  `end` Int64 COMMENT 'Records of the partition from this offset on are no part of the replay',
  `from_unit` String COMMENT 'First unit, by order of bytes',
  `to_unit` String COMMENT 'Last unit, included',
  `from_rollout` String COMMENT 'Smallest rollout id in it',
  `to_rollout` String COMMENT 'Largest rollout id in it',
  `units` Int64 COMMENT 'Units in it',
  `events` Int64 COMMENT 'Events in it, about',
  `state` LowCardinality(String) COMMENT 'planned; done: its rows are written',
  `tally_json` String COMMENT 'What it changed, JSON; empty: it is not done' CODEC(ZSTD(3)),
  `refused_json` String COMMENT 'Rollouts of it that cannot be replayed, by reason, JSON; empty: it is not done' CODEC(ZSTD(3)),
  `at` DateTime64(3, 'UTC') COMMENT 'When this was written, UTC',
  `version` UInt64 COMMENT 'A counter: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`replay_id`, `chunk`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Pieces of replays: a replay that was cut off goes on with those that are planned';

CREATE TABLE IF NOT EXISTS rollstream.replay_verdicts (
  `replay_id` String COMMENT 'Replay that they are for',
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `turn` Int32 COMMENT 'Model call that it judges; -1: the whole attempt',
  `scorer` LowCardinality(String) COMMENT 'Verifier: what the same one said about the same turn is replaced',
  `scorer_version` LowCardinality(String) COMMENT 'Version of it',
  `status` LowCardinality(String) COMMENT 'scored, not_run, timeout, crash, missing, parse_error, refused, unknown',
  `rewards` Map(LowCardinality(String), Nullable(Float64)) COMMENT 'Named rewards; null: missing. Null is not 0',
  `report` Nullable(String) COMMENT 'Why, for people; null: nothing was said' CODEC(ZSTD(3)),
  `at` DateTime64(3, 'UTC') COMMENT 'When it was given, UTC',
  `version` UInt64 COMMENT 'A counter: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`replay_id`, `run_id`, `unit`, `rollout_id`, `attempt`, `turn`, `scorer`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Verdicts that a replay scores with, in the place of those that came as events';

CREATE TABLE IF NOT EXISTS rollstream.replay_emitted (
  `replay_id` String COMMENT 'Replay that emitted it',
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `topic` LowCardinality(String) COMMENT 'Topic that it was written to',
  `position` Int64 COMMENT 'Place in the order in which the replay emits, from 0',
  `at` DateTime64(3, 'UTC') COMMENT 'When this was written, UTC: after the transaction of the record',
  `version` UInt64 COMMENT 'A counter: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `unit`, `rollout_id`, `attempt`, `replay_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Trajectories that replays wrote to a topic';

CREATE TABLE IF NOT EXISTS rollstream.verifier_results (
  `scorer` LowCardinality(String) COMMENT 'Verifier',
  `scorer_version` LowCardinality(String) COMMENT 'Version of it',
  `content_hash` String COMMENT 'SHA-256 of what it was shown, hex',
  `status` LowCardinality(String) COMMENT 'scored, not_run, timeout, crash, missing, parse_error, refused, unknown',
  `rewards` Map(LowCardinality(String), Nullable(Float64)) COMMENT 'Named rewards; null: missing. Null is not 0',
  `report` Nullable(String) COMMENT 'Why, for people; null: nothing was said' CODEC(ZSTD(3)),
  `cost` Nullable(Float64) COMMENT 'In the unit of whoever asked; null: unknown',
  `duration_ms` Float64 COMMENT 'How long it took, ms',
  `at` DateTime64(3, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'A counter: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`scorer`, `scorer_version`, `content_hash`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Answers of verifiers, by what they were shown: the same is not asked twice';

CREATE OR REPLACE VIEW rollstream.finished_replays AS
SELECT *
FROM rollstream.replays FINAL
WHERE state = 'done' AND saved
COMMENT 'Replays whose rows count';

-- A replay decides units whole: an attempt of one that has no row of it would never have been opened, and is not in its version. But
-- what the log held behind its end it did not see: an attempt that was opened, or decided, afterwards counts as it was decided live.
CREATE OR REPLACE VIEW rollstream.replayed_units AS
SELECT
  d.run_id AS run_id,
  d.unit AS unit,
  d.replay_id AS replay_id,
  any(c.end) AS end,
  any(f.ended_at) AS ended_at
FROM rollstream.decisions AS d
INNER JOIN rollstream.finished_replays AS f ON f.replay_id = d.replay_id
LEFT JOIN (
  SELECT replay_id, partition, max(end) AS end FROM rollstream.replay_chunks FINAL WHERE chunk >= 0 GROUP BY replay_id, partition
) AS c ON c.replay_id = d.replay_id AND c.partition = d.partition
WHERE d.replay_id != ''
GROUP BY run_id, unit, replay_id
COMMENT 'Units that replays decided whose rows count, and the offset that each saw its partition below';

CREATE OR REPLACE VIEW rollstream.latest_decisions AS
SELECT r.*, r.replay_id AS version_id
FROM rollstream.decisions AS r FINAL
LEFT JOIN (SELECT topic AS o_topic, partition AS o_partition, term AS o_term, below FROM rollstream.owned) AS o
  ON o.o_topic = r.topic AND o.o_partition = r.partition AND o.o_term = r.term
LEFT JOIN (
  SELECT run_id AS u_run, unit AS u_unit, argMax((replay_id, end), (ended_at, replay_id)) AS newest
  FROM rollstream.replayed_units
  GROUP BY u_run, u_unit
) AS u ON u.u_run = r.run_id AND u.u_unit = r.unit
WHERE if(r.replay_id = '', r.offset < o.below AND (u.newest.1 = '' OR r.offset >= u.newest.2), r.replay_id = u.newest.1)
COMMENT 'Rows of decisions that count, of each unit as the newest finished replay decided it; version_id: that replay, empty: live';

CREATE OR REPLACE VIEW rollstream.latest_rewards AS
SELECT r.*, r.replay_id AS version_id
FROM rollstream.rewards AS r FINAL
LEFT JOIN (SELECT topic AS o_topic, partition AS o_partition, term AS o_term, below FROM rollstream.owned) AS o
  ON o.o_topic = r.topic AND o.o_partition = r.partition AND o.o_term = r.term
LEFT JOIN (
  SELECT run_id AS u_run, unit AS u_unit, argMax((replay_id, end), (ended_at, replay_id)) AS newest
  FROM rollstream.replayed_units
  GROUP BY u_run, u_unit
) AS u ON u.u_run = r.run_id AND u.u_unit = r.unit
WHERE if(r.replay_id = '', r.offset < o.below AND (u.newest.1 = '' OR r.offset >= u.newest.2), r.replay_id = u.newest.1)
COMMENT 'Rows of rewards that count, of each unit as the newest finished replay scored it; version_id: that replay, empty: live';

CREATE OR REPLACE VIEW rollstream.decisions_of AS
SELECT r.*, r.replay_id AS version_id
FROM rollstream.decisions AS r FINAL
LEFT JOIN (SELECT topic AS o_topic, partition AS o_partition, term AS o_term, below FROM rollstream.owned) AS o
  ON o.o_topic = r.topic AND o.o_partition = r.partition AND o.o_term = r.term
LEFT JOIN (
  SELECT run_id AS u_run, unit AS u_unit, replay_id AS u_replay, end AS u_end
  FROM rollstream.replayed_units
  WHERE replay_id = {replay:String}
) AS u ON u.u_run = r.run_id AND u.u_unit = r.unit
WHERE if(r.replay_id = '', r.offset < o.below AND (u.u_replay = '' OR r.offset >= u.u_end), r.replay_id = {replay:String})
  AND ({replay:String} = '' OR {replay:String} IN (SELECT replay_id FROM rollstream.finished_replays))
COMMENT 'decisions_of(replay = ID): a version as a whole, rows of the replay and of units that it did not decide the live ones; empty: the live ones; nothing of a replay that is not done';

ALTER TABLE rollstream.deliveries
  ADD COLUMN IF NOT EXISTS `replay_id` String COMMENT 'Replay that emitted it, a newer version of what it supersedes; empty: as it was decided live' AFTER `attempt`,
  COMMENT COLUMN `state` 'queued, leased, trained, expired, undeliverable, trainer_rejected, replaced (by another version), as it was written; see live_deliveries. No row: queued, never delivered',
  COMMENT COLUMN `reason` 'Why it was rejected, expired, replaced or could not be delivered; else empty',
  ADD INDEX IF NOT EXISTS `units` `unit` TYPE bloom_filter GRANULARITY 1;

ALTER TABLE rollstream.deliveries MATERIALIZE INDEX `units`;

-- As before: made anew, since a view keeps the columns that it was made with. What was replaced stays so.
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
