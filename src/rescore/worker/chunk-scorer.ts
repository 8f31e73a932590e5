import type { DiffTally } from '../../../processors/replay/diff-tally.ts';
import type { InsertBatch } from '../../clickhouse/port.ts';
import type { DocumentRow } from '../../clickhouse/tables/documents.ts';
import type { AuditSettings } from '../../lanes/lane-settings.ts';
import type { RefusedRollouts } from '../replay-source.ts';

/** What scores the units of a replay is made of; it can be handed to a thread. */
export interface ScorerSettings {
  /** Topic of step events. */
  readonly topic: string;
  readonly replayId: string;
  readonly late: 'use' | 'ignore';
  /** Events have their tokens, so that there are trajectories. */
  readonly withTokens: boolean;
  /** Tables that get rows. */
  readonly rows: { readonly decisions: boolean; readonly audits: boolean; readonly trajectories: boolean };
  /** null: audits are not made again. */
  readonly audits: { /** null: no tokenizer is configured. */ readonly deep: AuditSettings | null } | null;
  /** Events held back for a missing seq, in one attempt. */
  readonly reorderEvents: number;
  /** Token data that is too large for a record has another place. */
  readonly hasBlobs: boolean;
  /** All that the lane histories name. */
  readonly documents: readonly DocumentRow[];
}

/** A chunk under the replay. */
export interface ScoredChunk {
  readonly tally: DiffTally;
  readonly refused: readonly RefusedRollouts[];
  /** Each with memory of its own. Empty in a dry run. */
  readonly batches: readonly InsertBatch[];
  /** What rows of `batches` name, each with memory of its own: on disk before them. */
  readonly blobs: readonly ScoredBlob[];
}

/** As NewBlob; a thread hands over bytes, and no Buffer. */
export interface ScoredBlob {
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
