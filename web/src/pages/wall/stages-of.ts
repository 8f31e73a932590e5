const STAGES = [
  'rollout_ms',
  'verify_ms',
  'cleanup_ms',
  'decided_after_ms',
  'held_ms',
  'taken_after_ms',
  'trainer_wait_ms',
];

/** The query of lifetimes, a row a rollout, as a row a stage: a run may have millions of rollouts. */
export function stagesOf(lifetimeSql: string): string {
  const pairs = STAGES.map((stage) => `('${stage}', CAST(${stage}, 'Nullable(Float64)'))`).join(', ');
  return `SELECT
  run_id,
  part.1 AS stage,
  count() AS attempts,
  quantileExact(0.5)(assumeNotNull(part.2)) AS p50_ms,
  quantileExact(0.95)(assumeNotNull(part.2)) AS p95_ms
FROM (
  SELECT run_id, arrayJoin([${pairs}]) AS part
  FROM (
${lifetimeSql.trim()}
  )
)
WHERE isNotNull(part.2)
GROUP BY run_id, stage
ORDER BY run_id, indexOf([${STAGES.map((stage) => `'${stage}'`).join(', ')}], stage)`;
}
