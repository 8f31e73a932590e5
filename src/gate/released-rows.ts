import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { LogRecord } from '../broker/port.ts';
import type { ReleasedRow } from '../clickhouse/tables/released.ts';
import type { Codecs } from '../registry/codecs.ts';

/** Rows that say that these held records are released; `unreadable` are no trajectories, and have none. */
export interface Released {
  readonly rows: readonly ReleasedRow[];
  readonly unreadable: readonly LogRecord[];
}

export function createReleasedRows(
  codecs: Codecs,
  now: () => number,
): (records: readonly LogRecord[]) => Promise<Released> {
  const decode = codecs.decoderOf<Trajectory>(trajectorySchema);
  return async function releasedRows(records) {
    const ids = records.map(({ value }) => (value === null ? null : schemaIdOf(value)));
    await codecs.prepare(ids.filter((id) => typeof id === 'number'));
    const rows: ReleasedRow[] = [];
    const unreadable: LogRecord[] = [];
    for (const record of records) {
      const outcome = record.value === null ? null : decode(record.value);
      if (outcome?.kind !== 'ok' || record.key === null) {
        unreadable.push(record);
        continue;
      }
      const { run_id, epoch, rollout_id, attempt } = outcome.value;
      const unit = record.key.toString();
      rows.push({ run_id, epoch, unit, rollout_id, attempt, held_offset: record.offset, atMs: now() });
    }
    return { rows, unreadable };
  };
}
