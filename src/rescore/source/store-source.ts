import type { DocumentIds } from '../../../processors/model/control.ts';
import type { Store } from '../../clickhouse/port.ts';
import type { ReplaySource } from '../replay-source.ts';
import { fetchChunk } from './fetch-chunk.ts';
import type { StoreScope } from './store-scope.ts';
import { unitsOfChunk } from './units-of-chunk.ts';

export interface StoreSourceDeps {
  readonly store: Pick<Store, 'query' | 'queryAsReader' | 'openBulkReader'>;
  /** Topic of step events that the lanes read. */
  readonly topic: string;
  readonly partitions: number;
  readonly request: StoreScope;
  /** Documents asked for in the place of those that were in force. */
  readonly override: Partial<DocumentIds>;
  /** Else tokens, logprobs and texts are zeros of the right length. */
  readonly withTokens: boolean;
  /** Of a chunk at most, about; absent: as many as 64 MB hold. */
  readonly chunkEvents?: number;
  readonly log: (message: string) => void;
}

/** Events of a replay out of the store: beyond what the log still holds. */
export function createStoreSource({ store, topic, request, withTokens }: StoreSourceDeps): ReplaySource {
  const reader = store.openBulkReader();
  return {
    plan() {
      throw new Error('not built yet');
    },
    laneHistory() {
      throw new Error('not built yet');
    },
    async *read(plan, chunk) {
      yield* unitsOfChunk(await fetchChunk(await reader, { topic, scope: request, withTokens }, plan, chunk));
    },
    async close() {
      await (await reader).close();
    },
  };
}
