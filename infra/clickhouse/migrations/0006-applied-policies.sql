-- Policies that a person put in force: what a start without policy_file goes on with.

CREATE TABLE IF NOT EXISTS rollstream.applied (
  `topic` LowCardinality(String) COMMENT 'Log that it was applied to',
  `number` Int64 COMMENT 'From 1, by log: the highest is the last',
  `policy_id` String COMMENT 'SHA-256 of the policy; see documents',
  `name` LowCardinality(String) COMMENT 'Name that the policy gives itself',
  `applied_at` DateTime64(6, 'UTC') COMMENT 'When, by the clock of whoever applied it, UTC',
  `version` UInt64 COMMENT 'Equal to number'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`topic`, `number`, `policy_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Policies that were applied, in order';
