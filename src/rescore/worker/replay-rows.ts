import type { AuditRow } from '../../../processors/model/effects.ts';
import type { ReplayedRows } from '../../../processors/model/replay.ts';
import { createBatchEncoder } from '../../clickhouse/encode-batch.ts';
import { auditsTable } from '../../clickhouse/tables/audits.ts';
import { decisionsTable } from '../../clickhouse/tables/decisions.ts';
import { rewardsTable } from '../../clickhouse/tables/rewards.ts';
import { trajectoriesTable } from '../../clickhouse/tables/trajectories.ts';
import { keepLargeSegments } from '../emit/keep-large-segments.ts';
import type { ScoredBlob, ScoredChunk, ScorerSettings } from './chunk-scorer.ts';

/** Rows of a replay, a batch a table, and what they name. */
export interface ReplayRows {
  append(rows: ReplayedRows): void;
  appendAudits(rows: readonly AuditRow[]): void;
  take(): Pick<ScoredChunk, 'batches' | 'blobs'>;
}

/** No lane's: the version of a row is its offset, so that written again it is the same row. */
const NO_TERM = 0;

/** Without a copy where nothing else is in its memory, as of what is so large. */
function ownMemory({ buffer, byteOffset, byteLength }: Buffer): Uint8Array<ArrayBuffer> {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return new Uint8Array(buffer);
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}

export function createReplayRows({
  topic,
  rows: wanted,
  hasBlobs,
}: Pick<ScorerSettings, 'topic' | 'rows' | 'hasBlobs'>): ReplayRows {
  const owner = { topic, term: NO_TERM };
  const decisions = createBatchEncoder(decisionsTable, owner);
  const rewards = createBatchEncoder(rewardsTable, owner);
  const audits = createBatchEncoder(auditsTable, owner);
  const trajectories = createBatchEncoder(trajectoriesTable, owner);
  let blobs: ScoredBlob[] = [];

  const appendTrajectories = (rows: ReplayedRows['trajectories']): void => {
    const kept = keepLargeSegments(rows, hasBlobs);
    trajectories.append(kept.rows);
    for (const { sha256, bytes } of kept.blobs) blobs.push({ sha256, bytes: ownMemory(bytes) });
  };

  return {
    append(rows) {
      if (wanted.trajectories) appendTrajectories(rows.trajectories);
      if (wanted.audits) audits.append(rows.audits);
      if (!wanted.decisions) return;
      rewards.append(rows.rewards);
      decisions.append(rows.decisions);
    },
    appendAudits(rows) {
      if (wanted.audits) audits.append(rows);
    },
    take() {
      // Decisions last: who finds one finds what it was made of.
      const batches = [trajectories, audits, rewards, decisions]
        .map((encoder) => encoder.take())
        .filter(({ rowCount }) => rowCount > 0)
        .map((batch) => ({ ...batch, rowBinary: new Uint8Array(batch.rowBinary) }));
      const taken = { batches, blobs };
      blobs = [];
      return taken;
    },
  };
}
