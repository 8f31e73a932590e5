/** Every metric: name, unit (in the name), help, labels. `docs/metrics.md` is made from this. */
export const METRICS = {
  recordsRead: {
    name: 'rollstream_records_read_total',
    help: 'Records of rollout.steps that a lane has read; a restart reads some again.',
    labelNames: ['partition'],
  },
  bytesRead: {
    name: 'rollstream_read_bytes_total',
    help: 'Bytes of rollout.steps that a lane has read.',
    labelNames: ['partition'],
  },
  decisions: {
    name: 'rollstream_decisions_total',
    help: 'Attempts decided by this process, by disposition, category and counted reason.',
    labelNames: ['disposition', 'category', 'reason'],
  },
  stepFaults: {
    name: 'rollstream_step_faults_total',
    help: 'Readable events that were not folded: duplicate, late, stale_attempt, orphan …',
    labelNames: ['reason'],
  },
  deadLetters: {
    name: 'rollstream_dead_letters_total',
    help: 'Records that could not be read, by the stage that refused them.',
    labelNames: ['stage', 'code'],
  },
  rowsInserted: {
    name: 'rollstream_rows_inserted_total',
    help: 'Rows acknowledged by the store.',
    labelNames: ['table'],
  },
  flushSeconds: {
    name: 'rollstream_flush_seconds',
    help: 'From freezing a cut to its commit.',
    labelNames: ['partition'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  transactionSeconds: {
    name: 'rollstream_transaction_seconds',
    help: 'The last part of a flush: output records, offset and metadata, until readers see them.',
    labelNames: ['partition'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  restoreSeconds: {
    name: 'rollstream_restore_seconds',
    help: 'From taking a lane to the end of its rebuild.',
    labelNames: ['partition'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800],
  },
  bytesInFlight: {
    name: 'rollstream_in_flight_bytes',
    help: 'Bytes read and not yet committed, over all lanes.',
    labelNames: [],
  },
  gateChanges: {
    name: 'rollstream_gate_changes_total',
    help: 'Changes of the gate of a run made by this process: the state it came into, and who wanted it (evaluator, release, set).',
    labelNames: ['state', 'by'],
  },
  gateLooks: {
    name: 'rollstream_gate_looks_total',
    help: 'Looks at the gates by this process; those of one process alone grow, by one each `gate.interval`. Alarm when none does.',
    labelNames: [],
  },
  gateRuns: {
    name: 'rollstream_gate_runs',
    help: 'Runs by the state of their gate, of those whose gate was ever changed; in the process that evaluates gates alone. Alarm on `hold`.',
    labelNames: ['state'],
  },
  httpSeconds: {
    name: 'rollstream_http_request_seconds',
    help: 'HTTP requests, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  },
  ingestBodies: {
    name: 'rollstream_ingest_bodies_total',
    help: 'Bodies of POST /v1/steps and /v1/verdicts by what became of them: ok, or the code of the error; RS_INGEST_FULL was answered 429. Alarm where it grows for long.',
    labelNames: ['route', 'outcome'],
  },
  ingestRecords: {
    name: 'rollstream_ingest_records_total',
    help: 'Records of these bodies: accepted ones are durable, refused ones in dead-letter.',
    labelNames: ['route', 'outcome'],
  },
  runRecords: {
    name: 'rollstream_run_records_total',
    help: 'Records of POST /v1/steps and /v1/verdicts by run; accepted ones are durable. The first 200 runs of the process by their name, the others together as `other`, with them what was refused since its run was not for the token to write, or closed.',
    labelNames: ['run', 'outcome'],
  },
  runQuota: {
    name: 'rollstream_run_quota_total',
    help: 'Bodies that ended at a quota of a run (429, RS_RUN_QUOTA), by the quota: events_per_second or in_flight. Runs as above.',
    labelNames: ['run', 'quota'],
  },
  ingestBytesInFlight: {
    name: 'rollstream_ingest_in_flight_bytes',
    help: 'Memory set aside for the bodies that are being read; at `limits.ingest_in_flight` others are answered 429.',
    labelNames: [],
  },
  lag: {
    name: 'rollstream_lane_lag_records',
    help: 'Records between the committed frontier of a lane and the end of its log.',
    labelNames: ['partition'],
  },
  frontier: {
    name: 'rollstream_lane_frontier_offset',
    help: 'First offset that no committed cut of a lane has read.',
    labelNames: ['partition'],
  },
  watermark: {
    name: 'rollstream_lane_watermark_offset',
    help: 'First offset of the oldest open unit of a lane: where a restart reads from. What the log forgets below it loses nothing.',
    labelNames: ['partition'],
  },
  watermarkAge: {
    name: 'rollstream_lane_watermark_age_seconds',
    help: "Time since that record was appended, by the broker's clock; 0: nothing is open. Keep it below the retention of rollout.steps.",
    labelNames: ['partition'],
  },
  recoverySeconds: {
    name: 'rollstream_lane_recovery_seconds',
    help: 'Estimate of what a restart would take: records between watermark and frontier, at the rate of the last rebuild, or else of the busiest second of reading. Absent before either.',
    labelNames: ['partition'],
  },
  openUnits: {
    name: 'rollstream_lane_open_units',
    help: 'Units (groups, or rollouts without one) that are open in a lane.',
    labelNames: ['partition'],
  },
  openAttempts: {
    name: 'rollstream_lane_open_attempts',
    help: 'Attempts that are open in a lane.',
    labelNames: ['partition'],
  },
  restored: {
    name: 'rollstream_lane_restored',
    help: '1 once the rebuild of a lane has reached its frontier.',
    labelNames: ['partition'],
  },
  rebalances: {
    name: 'rollstream_rebalances_total',
    help: 'Times that this process was given its lanes by the group, the first included; on Kafka.',
    labelNames: [],
  },
  attemptsLost: {
    name: 'rollstream_lost_attempts_total',
    help: 'Open attempts whose first records were deleted from the log; each is named in `decisions` with the reason `lost`.',
    labelNames: ['partition'],
  },
  recordsLost: {
    name: 'rollstream_lost_records_total',
    help: 'Offsets of rollout.steps that were deleted before anybody had read them, found when a lane was taken. Alarm on any.',
    labelNames: ['partition'],
  },
  serviceUp: {
    name: 'rollstream_service_up',
    help: '1 while a service that a worker on Kafka needs (kafka, clickhouse, registry) answers; asked every five seconds.',
    labelNames: ['service'],
  },
  leasesGranted: {
    name: 'rollstream_leases_granted_total',
    help: 'Batches that trainers were granted; in the process that grants alone.',
    labelNames: [],
  },
  trajectoriesDelivered: {
    name: 'rollstream_trajectories_delivered_total',
    help: 'Trajectories in them; one that was granted twice counts twice.',
    labelNames: [],
  },
  trajectoriesEnded: {
    name: 'rollstream_trajectories_ended_total',
    help: 'What became of them: trained (acked), queued (released), trainer_rejected; and expired or undeliverable, found when they were to be taken.',
    labelNames: ['state'],
  },
  queueSeconds: {
    name: 'rollstream_ready_to_taken_seconds',
    help: 'Age of a trajectory on the ready topic when it is granted. Long: the trainer is the bottleneck.',
    labelNames: [],
    buckets: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400],
  },
  trainerWaitSeconds: {
    name: 'rollstream_trainer_wait_seconds',
    help: 'How long a request waited for the batch that it was granted. Long: rollouts are the bottleneck.',
    labelNames: [],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
  },
  takenSeconds: {
    name: 'rollstream_taken_to_acked_seconds',
    help: 'From a grant to its ack: the optimizer step, and what a client prefetches. Keep it below `delivery.lease`.',
    labelNames: [],
    buckets: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
  },
  leaseWaiters: {
    name: 'rollstream_lease_waiters',
    help: 'Requests that wait for more to be ready; in the process that grants alone.',
    labelNames: [],
  },
  readyTrajectories: {
    name: 'rollstream_ready_trajectories',
    help: 'Trajectories of all runs by their state in delivery, those that are final included; in the process that grants alone.',
    labelNames: ['state'],
  },
};
