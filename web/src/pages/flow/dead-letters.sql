-- Records that could not be read, the newest first. They belong to no run: nobody could read of which they were.
SELECT concat(topic, '/', toString(partition), '/', toString(offset)) AS letter, stage, code, field, expected, got,
  length(value) AS bytes, headers['file'] AS file, headers['line'] AS line, appended_at
FROM rollstream.dead_letters FINAL
ORDER BY appended_at DESC, topic, partition, offset
LIMIT 200
