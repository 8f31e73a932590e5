import { type Column, column } from '../encode-batch.ts';
import { asInt32, asString } from '../value-writers.ts';

/** Whose attempt a row is about. Step events, decisions and trajectories all carry it. */
export interface AttemptIdentity {
  readonly run_id: string;
  readonly purpose?: string | undefined;
  readonly env_name: string;
  readonly task_id: string;
  readonly epoch?: number | undefined;
  readonly group_id?: string | null | undefined;
  readonly group_size?: number | null | undefined;
  readonly rollout_id: string;
  readonly attempt?: number | undefined;
}

export function identityColumns<Row>(identityOf: (row: Row) => AttemptIdentity): Column<Row>[] {
  return [
    column('run_id', (w, row) => w.string(identityOf(row).run_id)),
    column('purpose', (w, row) => w.string(identityOf(row).purpose ?? 'train')),
    column('env_name', (w, row) => w.string(identityOf(row).env_name)),
    column('task_id', (w, row) => w.string(identityOf(row).task_id)),
    column('epoch', (w, row) => w.int32(identityOf(row).epoch ?? 0)),
    column('group_id', (w, row) => w.nullable(identityOf(row).group_id, asString)),
    column('group_size', (w, row) => w.nullable(identityOf(row).group_size, asInt32)),
    column('rollout_id', (w, row) => w.string(identityOf(row).rollout_id)),
    column('attempt', (w, row) => w.int32(identityOf(row).attempt ?? 0)),
  ];
}
