import type { BulkReader } from '../../clickhouse/port.ts';
import type { ReplayChunk, ReplayPlan } from '../replay-source.ts';
import type { StoreScope } from './store-scope.ts';

/** A chunk as the store gave it: each buffer has memory of its own, so that all may be handed to another thread. */
export interface RawChunk {
  readonly partition: number;
  readonly withTokens: boolean;
  readonly withAudits: boolean;
  readonly lateAudits: boolean;
  /** Rows as RowBinary, by unit. */
  readonly events: Uint8Array;
  readonly lateVerdicts: Uint8Array;
  readonly decisions: Uint8Array;
  readonly audits: Uint8Array;
  readonly findings: Uint8Array;
  readonly newVerdicts: Uint8Array;
}

export interface ChunkReading {
  readonly topic: string;
  readonly scope: StoreScope;
  readonly withTokens: boolean;
}

/** Reads a chunk: the half of a replay that waits for the store. */
export function fetchChunk(
  _reader: BulkReader,
  _reading: ChunkReading,
  _plan: Pick<ReplayPlan, 'ends'>,
  _chunk: ReplayChunk,
): Promise<RawChunk> {
  throw new Error('not built yet');
}
