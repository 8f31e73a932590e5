import { durationKey, integerKey, textKey } from './key.ts';

/** Keys of the lease API. */
export const DELIVERY_KEYS = {
  leaseMs: durationKey({
    name: 'delivery.lease',
    default: '5m',
    min: '100ms',
    max: '7d',
    doc: 'Time until a lease runs out and its trajectories are delivered again; keep it above the longest optimizer step, or let the client extend it.',
  }),
  maxDeliveries: integerKey({
    name: 'delivery.max_deliveries',
    default: 5,
    min: 1,
    max: 1_000,
    unit: 'grants',
    doc: 'Grants of a trajectory, however they ended, before it counts as undeliverable: one that kills its trainer must not come for ever.',
  }),
  keptCheckpoints: integerKey({
    name: 'delivery.kept_checkpoints',
    default: 10,
    min: 1,
    max: 1_000,
    unit: 'checkpoints',
    doc: 'Newest checkpoints of a run that can be restored; what older ones hold is final, which bounds memory and ready.leases.',
  }),
  unsealedTrajectories: integerKey({
    name: 'delivery.unsealed',
    default: 1_000_000,
    min: 1,
    max: 100_000_000,
    unit: 'trajectories',
    doc: 'Trained trajectories of a run that never seals a checkpoint; over that the oldest become final, and cannot be rewound.',
  }),
  blobFolder: textKey({
    name: 'blobs.folder',
    default: null,
    pattern: /./,
    allowed: 'a folder',
    doc: 'Where token data above 8 MB a trajectory goes, by its SHA-256; unset: `blobs` in the data folder. On Kafka a folder that all servers share.',
  }),
  blobRetentionMs: durationKey({
    name: 'blobs.retention',
    default: '30d',
    min: '1m',
    max: '3650d',
    doc: 'A blob is removed so long after it was written last; keep it above the life of the records that name it.',
  }),
};
