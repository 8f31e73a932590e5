SELECT
  any(group_size) AS expected,
  countIf(disposition IN ('train', 'train_masked', 'penalise')) AS ready
FROM rollstream.live_decisions
WHERE unit = {unit:String}
