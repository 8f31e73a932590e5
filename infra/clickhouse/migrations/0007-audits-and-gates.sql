-- What the audits found, with evidence; what the gate of a run held, and released; what a trainer measured of what it took.

-- Made anew: the key lacked the unit, and nothing had looked before, so that no row of it said more than that.
DROP TABLE IF EXISTS rollstream.audits;

CREATE TABLE IF NOT EXISTS rollstream.audits (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `replay_id` LowCardinality(String) COMMENT 'Replay that wrote the row; empty: live',
  `audit` LowCardinality(String) COMMENT 'tokens, template, tools, termination, numbers, wall, reencode',
  `result` LowCardinality(String) COMMENT 'Of the audit as a whole: pass, fail, warn, not_auditable',
  `class` LowCardinality(String) COMMENT 'Class of the finding; empty: no finding, and detail says what a not_auditable one lacked',
  `severity` LowCardinality(String) COMMENT 'fail: the record is not what was sampled or executed; warn: somebody should look',
  `turn` Int32 COMMENT 'Model call; -1: none',
  `index` Int64 COMMENT 'Token or character; -1: none',
  `detail` String COMMENT 'One sentence for a person',
  `ids` Array(UInt32) COMMENT 'Token ids that were there, around the place',
  `expected_ids` Array(UInt32) COMMENT 'Token ids that should have been there',
  `text` String COMMENT 'Text that was there, around the place',
  `expected_text` String COMMENT 'Text that should have been there',
  `event_time` DateTime64(6, 'UTC') COMMENT 'Decides the table partition: the source''s own time, 1970 where it has none, never the clock' CODEC(Delta, ZSTD(1)),
  `started_at` Nullable(DateTime64(6, 'UTC')) COMMENT 'Begin, by the source, UTC; null: the source has no time',
  `topic` LowCardinality(String) COMMENT 'Log that the lane reads',
  `partition` Int32 COMMENT 'Partition of the log',
  `offset` Int64 COMMENT 'Cause: the record whose folding produced the row' CODEC(Delta, ZSTD(1)),
  `term` UInt32 COMMENT 'Lane term that wrote the row; see owned',
  `version` UInt64 COMMENT 'term × 2^48 + offset: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(event_time)
ORDER BY (`run_id`, `unit`, `rollout_id`, `attempt`, `replay_id`, `audit`, `class`, `turn`, `index`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Findings; one row of class empty where an audit found nothing';

-- Made anew: nothing wrote it. A row is a change of state, whoever made it; lanes obey the event that follows it.
DROP TABLE IF EXISTS rollstream.gates;

CREATE TABLE IF NOT EXISTS rollstream.gates (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `seq` UInt64 COMMENT 'Number of the change, from 1 in each run',
  `state` LowCardinality(String) COMMENT 'preflight, open, warn, quarantine, hold',
  `by` LowCardinality(String) COMMENT 'evaluator: limits; release or set: a person',
  `classes` Array(LowCardinality(String)) COMMENT 'Finding classes that are quarantined',
  `why_json` String COMMENT 'Limits that tripped with rate, interval and counts, or the reason that a person gave; JSON',
  `window_from` DateTime64(6, 'UTC') COMMENT 'Trajectories decided before are not looked at again, UTC: a release begins a new window',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC'
)
ENGINE = ReplacingMergeTree
ORDER BY (`run_id`, `seq`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Changes of the gate of each run';

-- Made anew: nothing wrote it, and the offset in the ready topic is not known before its transaction.
DROP TABLE IF EXISTS rollstream.released;

CREATE TABLE IF NOT EXISTS rollstream.released (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `held_offset` Int64 COMMENT 'Offset in the held topic' CODEC(Delta, ZSTD(1)),
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC'
)
ENGINE = ReplacingMergeTree
ORDER BY (`run_id`, `unit`, `rollout_id`, `attempt`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Held trajectories that the forwarder moved to ready';

-- What a trainer reports with its ack: how far its own logprobs are from those of the rollout.
CREATE TABLE IF NOT EXISTS rollstream.train_match (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `lineage` String COMMENT 'History of the trainer that it was trained in',
  `step` Int64 COMMENT 'Step of the trainer',
  `kl` Nullable(Float64) COMMENT 'Mean estimate of the divergence between rollout and trainer over the tokens in the loss, nats a token; null: not reported',
  `max_logprob_diff` Nullable(Float64) COMMENT 'Largest absolute difference of a token''s logprob, nats; null: not reported',
  `clipped_share` Nullable(Float64) COMMENT 'Share of tokens whose ratio was clipped, 0 to 1; null: not reported',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'Position in the lease log'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `unit`, `rollout_id`, `attempt`, `lineage`, `step`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Train–inference match of each trajectory, as the trainer measured it';

ALTER TABLE rollstream.decisions
  ADD COLUMN IF NOT EXISTS `held` Bool COMMENT 'The gate of its run was closed: on trajectories.held until it opens; see released' AFTER `counts_for_size`;

ALTER TABLE rollstream.trajectories
  ADD COLUMN IF NOT EXISTS `audit_reencode` LowCardinality(String) COMMENT 'Result of the audit: pass, warn, not_auditable' AFTER `audit_wall`,
  ADD COLUMN IF NOT EXISTS `audit_missing` Map(LowCardinality(String), String) COMMENT 'Of each audit that is not_auditable, what it lacked; deferred: sampled, in audits alone' AFTER `audit_reencode`;

-- A view keeps the columns that its table had when it was made.
CREATE OR REPLACE VIEW rollstream.live_decisions AS
SELECT r.*
FROM rollstream.decisions AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of decisions that count, replays left out';

CREATE OR REPLACE VIEW rollstream.live_trajectories AS
SELECT r.*
FROM rollstream.trajectories AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of trajectories that count, replays left out';

CREATE OR REPLACE VIEW rollstream.live_audits AS
SELECT r.*
FROM rollstream.audits AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of audits that count, replays left out';

-- `released` is written before the transaction that moves the record: what is in it and not moved yet is moved by the next forwarder.
CREATE OR REPLACE VIEW rollstream.live_held AS
SELECT d.*
FROM rollstream.live_decisions AS d
WHERE d.held
  AND (d.run_id, d.unit, d.rollout_id, d.attempt) NOT IN
    (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL)
COMMENT 'Decisions whose trajectories wait for the gate of their run';
