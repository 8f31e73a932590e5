-- What decided, and how sure the facts are: the rule, contradictions, whose time it was, how stale.

ALTER TABLE rollstream.decisions
  ADD COLUMN IF NOT EXISTS `rule` LowCardinality(String) COMMENT 'Where in the policy it was decided, such as codes.wall_clock; empty: no rule of the policy' AFTER `why`,
  ADD COLUMN IF NOT EXISTS `conflicts` Array(String) COMMENT 'Contradictions between the facts, both sides of each' AFTER `rule`,
  ADD COLUMN IF NOT EXISTS `infra_share` Nullable(Float64) COMMENT 'Share of engine queue, retractions, sandbox and waiting in the wall clock, 0 to 1; null: the events do not say' AFTER `conflicts`,
  ADD COLUMN IF NOT EXISTS `policy_share` Nullable(Float64) COMMENT 'Share of the policy''s own sampling in the wall clock, 0 to 1; null: the events do not say' AFTER `infra_share`;

ALTER TABLE rollstream.trajectories
  ADD COLUMN IF NOT EXISTS `reasons.attribution` Array(Nullable(String)) COMMENT 'Whose time-out or out-of-memory it was: policy, env or unknown; null: it is neither' AFTER `reasons.detail`,
  ADD COLUMN IF NOT EXISTS `reasons.after_end` Array(Bool) COMMENT 'It happened after the loop had decided to end: it decides nothing' AFTER `reasons.attribution`,
  ADD COLUMN IF NOT EXISTS `lag` Nullable(Int64) COMMENT 'Version being updated when it was decided, minus the oldest that sampled; null: unknown' AFTER `weights_version_max`;

ALTER TABLE rollstream.steps
  ADD COLUMN IF NOT EXISTS `reasons.after_end` Array(Bool) COMMENT 'It happened after the loop had decided to end: it decides nothing' AFTER `reasons.detail`;

ALTER TABLE rollstream.step_faults
  ADD COLUMN IF NOT EXISTS `reasons.after_end` Array(Bool) COMMENT 'It happened after the loop had decided to end: it decides nothing' AFTER `reasons.detail`;

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

CREATE OR REPLACE VIEW rollstream.live_steps AS
SELECT r.*
FROM rollstream.steps AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.cause < o.below
COMMENT 'Rows of steps that count';

CREATE OR REPLACE VIEW rollstream.live_step_faults AS
SELECT r.*
FROM rollstream.step_faults AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.cause < o.below
COMMENT 'Rows of step_faults that count';
