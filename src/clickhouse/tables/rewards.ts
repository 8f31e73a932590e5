import type { RewardRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asNullableFloat64, asNullableMicros } from '../value-writers.ts';
import { causeColumns } from './cause-columns.ts';
import { eventTimeColumn } from './time-columns.ts';

const columns: readonly Column<RewardRow>[] = [
  column('run_id', (w, row) => w.string(row.run_id)),
  column('epoch', (w, row) => w.int32(row.epoch)),
  column('unit', (w, row) => w.string(row.unit)),
  column('rollout_id', (w, row) => w.string(row.rollout_id)),
  column('attempt', (w, row) => w.int32(row.attempt)),
  column('replay_id', (w, row) => w.string(row.replay_id)),
  column('scorer', (w, row) => w.string(row.scorer)),
  column('scorer_version', (w, row) => w.string(row.scorer_version)),
  column('turn', (w, row) => w.int32(row.turn ?? -1)),
  column('component', (w, row) => w.string(row.component)),
  column('value', (w, row) => asNullableFloat64(w, row.value)),
  column('status', (w, row) => w.string(row.status)),
  column('policy_id', (w, row) => w.string(row.policy_id)),
  column('score_id', (w, row) => w.string(row.score_id)),
  eventTimeColumn<RewardRow>((row) => row),
  column('started_at', (w, row) => asNullableMicros(w, row.started_at)),
  ...causeColumns<RewardRow>((row) => row),
];

export const rewardsTable: Table<RewardRow> = { name: 'rewards', columns };

/** The parts of each reward. `turn` is -1 where a part is bound to the whole attempt. */
export function encodeRewards(rows: readonly RewardRow[], owner: Owner): InsertBatch {
  return encodeBatch(rewardsTable, rows, owner);
}
