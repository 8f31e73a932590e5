import type { AuditRow } from '../../../processors/model/effects.ts';
import type { ReplayedRows } from '../../../processors/model/replay.ts';
import { createBatchEncoder } from '../../clickhouse/encode-batch.ts';
import type { InsertBatch } from '../../clickhouse/port.ts';
import { auditsTable } from '../../clickhouse/tables/audits.ts';
import { decisionsTable } from '../../clickhouse/tables/decisions.ts';
import { rewardsTable } from '../../clickhouse/tables/rewards.ts';
import { trajectoriesTable } from '../../clickhouse/tables/trajectories.ts';
import { trajectoryRows } from '../../lanes/trajectory-rows.ts';
import type { ScorerSettings } from './chunk-scorer.ts';

/** Rows of a replay, a batch a table. */
export interface ReplayRows {
  append(rows: ReplayedRows): void;
  appendAudits(rows: readonly AuditRow[]): void;
  take(): InsertBatch[];
}

/** No lane's: the version of a row is its offset, so that written again it is the same row. */
const NO_TERM = 0;

export function createReplayRows({ topic, rows: wanted }: Pick<ScorerSettings, 'topic' | 'rows'>): ReplayRows {
  const owner = { topic, term: NO_TERM };
  const decisions = createBatchEncoder(decisionsTable, owner);
  const rewards = createBatchEncoder(rewardsTable, owner);
  const audits = createBatchEncoder(auditsTable, owner);
  const trajectories = createBatchEncoder(trajectoriesTable, owner);
  return {
    append(rows) {
      if (wanted.trajectories) trajectories.append(trajectoryRows(rows.trajectories, new Map()));
      if (wanted.audits) audits.append(rows.audits);
      if (!wanted.decisions) return;
      rewards.append(rows.rewards);
      decisions.append(rows.decisions);
    },
    appendAudits(rows) {
      if (wanted.audits) audits.append(rows);
    },
    // Decisions last: who finds one finds what it was made of.
    take: () =>
      [trajectories, audits, rewards, decisions]
        .map((encoder) => encoder.take())
        .filter(({ rowCount }) => rowCount > 0)
        .map((batch) => ({ ...batch, rowBinary: new Uint8Array(batch.rowBinary) })),
  };
}
