import type { Progress } from '../../processors/cut/progress.ts';
import type { DocumentIds } from '../../processors/model/control.ts';
import { NO_GATES } from '../../processors/model/gate.ts';
import { createLaneState, type LaneState } from '../../processors/model/lane-state.ts';
import { NO_WEIGHTS } from '../../processors/model/weights.ts';
import type { Broker, TransactionalProducer } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeTerms } from '../clickhouse/tables/terms.ts';
import { readTerms } from '../clickhouse/terms-lookup.ts';
import { RollstreamError } from '../errors.ts';
import { commitOf, type LaneName, progressOf } from './commit-metadata.ts';

export interface Restored {
  readonly producer: TransactionalProducer;
  readonly term: number;
  readonly state: LaneState;
  /** Where reading begins: the watermark of the commit. */
  readonly position: number;
  /** Rows of a lower term count below this offset. */
  ownedBelow(term: number): number;
}

export interface RestoreDeps {
  readonly broker: Broker;
  readonly store: Store;
  /** Control values of a lane without a commit. */
  readonly configured: DocumentIds;
}

/**
 * Takes a lane over. FENCE, THEN READ: 1 a new lane reads the commit: frontier 5; 2 the old one commits frontier 9 and a ready
 * record; 3 the new one fences it, and starts at 5: that record again.
 * RAISE THE TERM, committed before the first insert: 1 the old lane decides @10, hangs before its insert; 2 the new lane decides
 * @10 and commits; 3 the old insert arrives: with equal versions the last one wins.
 */
export async function restoreLane(deps: RestoreDeps, name: LaneName): Promise<Restored> {
  const { group, topic, partition } = name;
  const producer = await deps.broker.transactional(`${group}.${topic}.${partition}`);
  try {
    return await restoreWith(producer, deps, name);
  } catch (error) {
    // In an outage it is tried again and again, each time with a producer of its own.
    await producer.close();
    throw error;
  }
}

async function restoreWith(
  producer: TransactionalProducer,
  { broker, store, configured }: RestoreDeps,
  name: LaneName,
): Promise<Restored> {
  const { group, topic, partition } = name;
  const commit = await broker.committed(group, topic, partition);
  const { start } = await broker.bounds(topic, partition);
  const before: Progress =
    commit === null
      ? {
          term: 0,
          frontier: start,
          watermark: start,
          starts: new Set(),
          inForce: { ...configured, weights: NO_WEIGHTS, gates: NO_GATES },
        }
      : await progressOf(broker, name, commit);
  // settleLoss has looked before: it was deleted in between, and whoever starts next settles it.
  if (before.watermark < start)
    throw new RollstreamError(
      'RS_OFFSET_OUT_OF_RANGE',
      `${topic}/${partition} begins at ${start}; units open since ${before.watermark} were deleted from it`,
      {
        facts: { topic, partition, watermark: before.watermark, start },
      },
    );
  const term = before.term + 1;
  const owner = { topic, term };
  await store.insert(encodeTerms([{ partition, restored: before.frontier }], owner));
  const { records, commit: raised } = commitOf(name, { ...before, term });
  await producer.run({ records, commit: raised });
  const restoredAt = new Map((await readTerms(store, topic, partition)).map((row) => [row.term, row.restored]));
  const state = createLaneState({
    topic,
    partition,
    restored: before.frontier,
    starts: before.starts,
    inForce: before.inForce,
  });
  return {
    producer,
    term,
    state,
    position: before.watermark,
    // OWNERSHIP: a row counts when its term owned its offset: the next term was restored above it. The version alone cannot do
    // it where two builds differ: 1 the old one decides attempt 0 @10 `retry`, opens attempt 1 @20, inserts, dies before its
    // transaction; 2 the new one decides @10 `train`, so refuses @20: nothing it writes replaces the row of attempt 1.
    ownedBelow: (rowTerm) =>
      rowTerm === term ? Number.POSITIVE_INFINITY : Math.min(restoredAt.get(rowTerm + 1) ?? 0, before.frontier),
  };
}
