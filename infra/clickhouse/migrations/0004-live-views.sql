-- Ownership, so that users need not know of it.
-- Two processes may have written rows of one partition: an owner that died before its commit, or hung, and its successor.
-- Of two rows with one key the successor's has the higher version. A key that the successor never writes is judged here:
--   1 the old build decides attempt 0 at 10 `retry`, opens attempt 1 at 20, inserts, dies before its transaction;
--   2 the new build decides the same at 10 `train`, so refuses the record at 20: nothing that it writes replaces the row of
--     attempt 1, and `started` would be one too many for ever.
-- So a row counts only below the frontier that the next term was restored at, and below the lane's own.

CREATE OR REPLACE VIEW rollstream.owned AS
SELECT
  t.topic AS topic,
  t.partition AS partition,
  t.term AS term,
  multiIf(t.term = l.term, l.frontier, t.term < l.term, least(n.restored, l.frontier), 0) AS below
FROM (SELECT topic, partition, term FROM rollstream.terms FINAL) AS t
INNER JOIN (SELECT topic, partition, term, frontier FROM rollstream.lanes FINAL) AS l
  ON l.topic = t.topic AND l.partition = t.partition
LEFT JOIN (SELECT topic, partition, term - 1 AS previous, restored FROM rollstream.terms FINAL) AS n
  ON n.topic = t.topic AND n.partition = t.partition AND n.previous = t.term
COMMENT 'First offset of each partition that rows of a term do not count at';

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

-- A verdict that counted may come again (an import that is repeated) after its unit has closed: no second verdict, but a late row.
CREATE OR REPLACE VIEW rollstream.live_verdicts AS
SELECT r.*
FROM rollstream.verdicts AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.cause < o.below
ORDER BY r.late
LIMIT 1 BY r.run_id, r.epoch, r.rollout_id, r.attempt, r.event_id, r.unit
COMMENT 'Verdicts that count, each once: in time, or late where it never came in time';

CREATE OR REPLACE VIEW rollstream.live_attempts AS
SELECT r.*
FROM rollstream.attempts AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of attempts that count, replays left out';

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

CREATE OR REPLACE VIEW rollstream.live_rewards AS
SELECT r.*
FROM rollstream.rewards AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of rewards that count, replays left out';

CREATE OR REPLACE VIEW rollstream.live_audits AS
SELECT r.*
FROM rollstream.audits AS r FINAL
INNER JOIN rollstream.owned AS o ON o.topic = r.topic AND o.partition = r.partition AND o.term = r.term
WHERE r.offset < o.below AND r.replay_id = ''
COMMENT 'Rows of audits that count, replays left out';
