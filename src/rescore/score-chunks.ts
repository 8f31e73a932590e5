import type { LaneHistoryDeps } from '../../processors/replay/create-lane-history.ts';
import type { DiffTally } from '../../processors/replay/diff-tally.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import { eachInFlight } from './each-in-flight.ts';
import { openScoring } from './open-scoring.ts';
import { chunkRow } from './plan-replay.ts';
import { documentsOf } from './replay-documents.ts';
import type { RefusedRollouts, ReplayChunk, ReplayPlan, ReplaySource } from './replay-source.ts';
import type { RunReplayDeps, RunReplayOf } from './run-replay.ts';

/** What became of a chunk. */
export interface ScoredPart {
  readonly tally: DiffTally;
  readonly refused: readonly RefusedRollouts[];
}

export interface ScoreChunksOf extends RunReplayOf {
  readonly source: ReplaySource;
  readonly plan: ReplayPlan;
  /** Chunks of the plan that are not done. */
  readonly todo: readonly ReplayChunk[];
  /** By chunk: where it adds what is done. */
  readonly parts: Map<number, ScoredPart>;
  /** Keeps how far it is. */
  readonly keep: () => Promise<void>;
}

/** One is read or written while another is scored: more would only be memory. */
const MOST_IN_FLIGHT = 2;
/** The row of a replay is for who looks from elsewhere. */
const KEEP_EVERY_MS = 1_000;

/** Scores chunks, and writes their rows where they are to be saved: one is done when all its rows are in. */
export async function scoreChunks(of: ScoreChunksOf, deps: RunReplayDeps): Promise<void> {
  const { request, progress, signal, source, plan, todo, parts, keep } = of;
  const { app, kept, now } = deps;
  const histories = new Map<number, LaneHistoryDeps>();
  for (const { partition } of todo)
    if (!histories.has(partition)) histories.set(partition, await source.laneHistory(plan, partition));
  const documents = await documentsOf(app.store, request, [...histories.values()]);
  const scoring = await openScoring(app, { ...deps, ...of }, { source, plan, histories, documents });
  const oneAtATime = createOneAtATime();
  let keptAtMs = now();

  async function write(chunk: ReplayChunk): Promise<void> {
    const { tally, refused, batches, blobs } = await scoring.score(chunk);
    await oneAtATime(async () => {
      for (const { sha256, bytes } of blobs) {
        signal.throwIfAborted();
        await app.blobs?.put({ sha256, bytes: Buffer.from(bytes.buffer) });
      }
      for (const batch of batches) {
        signal.throwIfAborted();
        await app.store.insert(batch);
      }
      signal.throwIfAborted();
      if (request.save) await kept.keepChunks([chunkRow(request, plan, chunk, { tally, refused })]);
      parts.set(chunk.chunk, { tally, refused });
      deps.log.debug(
        { replay: request.replayId, chunk: chunk.chunk, units: chunk.units },
        'a piece of a replay is done',
      );
      progress.chunkDone({ tally, refused, units: chunk.units });
      if (now() - keptAtMs < KEEP_EVERY_MS) return;
      keptAtMs = now();
      await keep();
    });
  }

  try {
    await eachInFlight(todo, MOST_IN_FLIGHT, signal, write);
  } finally {
    await scoring.close();
  }
}
