import type { DocumentIds } from '../../../processors/model/control.ts';
import type { Store } from '../../clickhouse/port.ts';
import { createOneAtATime } from '../../one-at-a-time.ts';
import { checkCondition } from '../check-condition.ts';
import type { ReplayChunk, ReplayPlan, ReplaySource } from '../replay-source.ts';
import { fetchChunk } from './fetch-chunk.ts';
import { type LostRollouts, readLostRollouts, refusedAsLost } from './lost-rollouts.ts';
import { endOf, readOwnedBounds } from './owned-bounds.ts';
import { chunkLimits, planChunks } from './plan-chunks.ts';
import { readLaneHistory } from './read-controls.ts';
import { checkPlaces, isPartitionIn, type PartitionScope } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';
import { unitsOfChunk } from './units-of-chunk.ts';

export interface StoreSourceDeps {
  readonly store: Pick<Store, 'queryAsReader' | 'openBulkReader'>;
  /** Topic of step events that the lanes read. */
  readonly topic: string;
  readonly partitions: number;
  readonly request: StoreScope;
  /** Documents asked for in the place of those that were in force. */
  readonly override: Partial<DocumentIds>;
  /** Else tokens and logprobs are zeros of the right number, and what no score depends on is null. */
  readonly withTokens: boolean;
  /** Of a chunk at most, but for its last unit; absent: see chunkLimits. */
  readonly chunkEvents?: number;
  readonly log: (message: string) => void;
}

/** Events of a replay out of the store: beyond what the log still holds. */
export function createStoreSource(deps: StoreSourceDeps): ReplaySource {
  const { store, topic, partitions, request, override, withTokens, log } = deps;
  const limits = chunkLimits(withTokens);
  const opening = store.openBulkReader();
  // (Asked for where it is used: nobody may be waiting yet.)
  opening.catch(() => undefined);
  const oneAtATime = createOneAtATime();

  async function scopeOf(partition: number, ends: readonly number[] | null): Promise<PartitionScope> {
    const bounds = (await readOwnedBounds(await opening, topic))(partition);
    return { topic, partition, bounds, end: ends?.[partition] ?? endOf(bounds) };
  }

  return {
    plan: () =>
      oneAtATime(async (): Promise<ReplayPlan> => {
        checkPlaces(request);
        if (request.where !== null) await checkCondition(store, request.where);
        const reader = await opening;
        const ends: number[] = [];
        const chunks: ReplayChunk[] = [];
        const lost: LostRollouts[] = [];
        for (let partition = 0; partition < partitions; partition++) {
          const of = await scopeOf(partition, null);
          ends.push(of.end);
          if (!isPartitionIn(request, partition)) continue;
          for (const chunk of await planChunks(reader, of, request, {
            withTokens,
            limits: { ...limits, events: deps.chunkEvents ?? limits.events },
          }))
            chunks.push({ chunk: chunks.length, ...chunk });
          lost.push(await readLostRollouts(reader, of, request));
        }
        log(`${chunks.reduce((sum, { units }) => sum + units, 0)} units in ${chunks.length} pieces`);
        return { ends, chunks, refused: refusedAsLost(lost) };
      }),
    laneHistory: ({ ends }, partition) =>
      oneAtATime(async () => readLaneHistory(await opening, await scopeOf(partition, ends), override)),
    async *read(plan, chunk) {
      const reading = { topic, scope: request, withTokens };
      yield* unitsOfChunk(await oneAtATime(async () => fetchChunk(await opening, reading, plan, chunk)));
    },
    async close() {
      await (await opening).close();
    },
  };
}
