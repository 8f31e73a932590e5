-- The books: who owned what, what is open, what could not be read, what was delivered.
-- Statements may run again after a crash between them: each is IF NOT EXISTS. Rows are idempotent (ReplacingMergeTree by
-- version; read with FINAL). The fsync settings make an acknowledged insert outlive the process and the power: a committed
-- offset must never be without its rows. Tables of many columns keep to compact parts up to 1 GiB: a wide part is two files a
-- column, each of them synced at every insert (here 1.5 to 2.5 times the processor time of the whole insert).

CREATE TABLE IF NOT EXISTS rollstream.lanes (
  `topic` LowCardinality(String) COMMENT 'Log that the lane reads',
  `partition` Int32 COMMENT 'Partition of the log',
  `term` UInt32 COMMENT 'Number of the owner, raised by each restore',
  `frontier` Int64 COMMENT 'First offset that no committed cut has read: counts are taken below it',
  `watermark` Int64 COMMENT 'First offset of the oldest open unit: where a restart reads from',
  `open.run_id` Array(LowCardinality(String)) COMMENT 'Open attempts: run',
  `open.epoch` Array(Int32) COMMENT 'Epoch',
  `open.unit` Array(String) COMMENT 'Unit',
  `open.rollout_id` Array(String) COMMENT 'Rollout',
  `open.attempt` Array(Int32) COMMENT 'Attempt',
  `version` UInt64 COMMENT 'term × 2^48 + frontier'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`topic`, `partition`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'One row a partition: frontier and open attempts of the newest owner, as of its last flush';

CREATE TABLE IF NOT EXISTS rollstream.terms (
  `topic` LowCardinality(String) COMMENT 'Log that the lane reads',
  `partition` Int32 COMMENT 'Partition of the log',
  `term` UInt32 COMMENT 'Number of the owner, raised by each restore',
  `restored` Int64 COMMENT 'Frontier of the commit that the owner read',
  `version` UInt64 COMMENT 'term × 2^48 + restored'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`topic`, `partition`, `term`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'One row a restore: the terms before it owned nothing at or above its frontier';

CREATE TABLE IF NOT EXISTS rollstream.dead_letters (
  `topic` LowCardinality(String) COMMENT 'Where the record was',
  `partition` Int32 COMMENT 'Partition of the log',
  `offset` Int64 COMMENT 'Its offset',
  `stage` LowCardinality(String) COMMENT 'Stage that refused it',
  `code` LowCardinality(String) COMMENT 'What is wrong',
  `field` String COMMENT 'Path of the field; empty: the whole record',
  `expected` String COMMENT 'What was expected',
  `got` String COMMENT 'What was there',
  `key` Nullable(String) COMMENT 'Key, bytes',
  `value` String COMMENT 'Value, bytes' CODEC(ZSTD(3)),
  `headers` Map(String, String) COMMENT 'Headers',
  `appended_at` DateTime64(6, 'UTC') COMMENT 'Append time of the record in the log, UTC' CODEC(Delta, ZSTD(1)),
  `term` UInt32 COMMENT 'Lane term that wrote the row; see owned',
  `version` UInt64 COMMENT 'term × 2^48 + offset: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`topic`, `partition`, `offset`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Records that could not be read, byte for byte';

CREATE TABLE IF NOT EXISTS rollstream.documents (
  `id` String COMMENT 'SHA-256 of the content, hex',
  `kind` LowCardinality(String) COMMENT 'policy or taxonomy',
  `content` String COMMENT 'The document as it was read' CODEC(ZSTD(3)),
  `version` UInt8 DEFAULT 0 COMMENT 'Equal ids have equal contents'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`id`, `kind`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Policies and taxonomies that were in force';

CREATE TABLE IF NOT EXISTS rollstream.gates (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `state` LowCardinality(String) COMMENT 'preflight, open, warn, quarantine, hold',
  `why_json` Nullable(String) COMMENT 'Limits that tripped, JSON',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC',
  `topic` LowCardinality(String) COMMENT 'Log that the lane reads',
  `partition` Int32 COMMENT 'Partition of the log',
  `offset` Int64 COMMENT 'Cause: the record whose folding produced the row' CODEC(Delta, ZSTD(1)),
  `term` UInt32 COMMENT 'Lane term that wrote the row; see owned',
  `version` UInt64 COMMENT 'term × 2^48 + offset: of two rows with one key the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `topic`, `partition`, `offset`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Gate events that lanes obeyed';

CREATE TABLE IF NOT EXISTS rollstream.released (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `ready_offset` Int64 COMMENT 'Offset in the ready topic',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'Position in the held topic'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `epoch`, `unit`, `rollout_id`, `attempt`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Held units that the forwarder moved to ready';

CREATE TABLE IF NOT EXISTS rollstream.deliveries (
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `epoch` Int32 COMMENT 'Pass over the tasks: part of the identity of groups and rollouts',
  `unit` String COMMENT 'What opens and closes together, the message key: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded',
  `rollout_id` String COMMENT 'One sampled episode of a task',
  `attempt` Int32 COMMENT 'Try of the rollout, from 0; a higher one supersedes the lower ones',
  `ready_offset` Int64 COMMENT 'Offset in the ready topic',
  `state` LowCardinality(String) COMMENT 'leased, trained, expired, undeliverable, trainer_rejected; no row: queued',
  `lease_id` String COMMENT 'Lease',
  `lineage` String COMMENT 'Surviving history it belongs to',
  `step` Nullable(Int64) COMMENT 'Step of the trainer',
  `consumer` String COMMENT 'Who took it',
  `deliveries` Int32 COMMENT 'Grants so far',
  `reason` LowCardinality(Nullable(String)) COMMENT 'Why it was rejected or expired',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'Position in the lease log'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`, `epoch`, `unit`, `rollout_id`, `attempt`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Last fact about each ready trajectory';

CREATE TABLE IF NOT EXISTS rollstream.replays (
  `replay_id` String COMMENT 'Name',
  `run_id` LowCardinality(String) COMMENT 'Training run: owner of policies, gates and accounting',
  `policy_id` LowCardinality(String) COMMENT 'Policy it scores under',
  `taxonomy_id` LowCardinality(String) COMMENT 'Taxonomy it scores under',
  `scope_json` String COMMENT 'From where to where, JSON',
  `state` LowCardinality(String) COMMENT 'running, done, failed',
  `read` UInt64 COMMENT 'Trajectories read',
  `changed` UInt64 COMMENT 'Decided otherwise',
  `at` DateTime64(6, 'UTC') COMMENT 'When, UTC',
  `version` UInt64 COMMENT 'Progress'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`replay_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Replays asked for, and how far they are';
