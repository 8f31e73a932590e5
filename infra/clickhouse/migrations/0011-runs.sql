-- What was said of a run as a whole: that it is there before anything of it came, that it takes nothing more, that it was removed.
-- A run without a row is active: it came to be by its first event, as ever.

CREATE TABLE IF NOT EXISTS rollstream.runs (
  `run_id` String COMMENT 'Training run: owner of policies, gates and accounting',
  `state` LowCardinality(String) COMMENT 'active, archived (takes no new events), deleting (its rows are being removed), deleted',
  `purpose` LowCardinality(Nullable(String)) COMMENT 'train, eval or synthesis, as it was said when the run was created; null: nobody said. Events carry their own',
  `note` String COMMENT 'For people; empty: none',
  `events_per_second` Nullable(Float64) COMMENT 'Events that it may send over HTTP, over time; null: limits.run_events_per_second',
  `in_flight_bytes` Nullable(Int64) COMMENT 'Memory that its bodies may take while they are read; null: limits.run_in_flight',
  `created_at` DateTime64(3, 'UTC') COMMENT 'When something was first said of it, of a run that has taken the name of a deleted one: when it did; UTC',
  `changed_at` DateTime64(3, 'UTC') COMMENT 'When this row was written, UTC',
  `changed_by` String COMMENT 'Name of the token that asked for it; empty: nobody had to say who they are',
  `removed` Map(LowCardinality(String), UInt64) COMMENT 'Of a deleted run, rows that were removed by table, blobs and blobs_shared (which others refer to, and stay) among them',
  `ready_below` Int64 COMMENT 'Records of the ready topic below this offset that name the run are of one that was deleted; 0: none',
  `held_below` Int64 COMMENT 'The same of the held topic',
  `gate_seq` Int64 COMMENT 'Changes of the gate of the run that was deleted: the next one counts on; 0: none',
  `version` UInt64 COMMENT 'Number of the change: of two rows of a run the higher wins'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (`run_id`)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1
COMMENT 'Runs that something was said of: created, archived, deleted, given a quota';
