import { mergeTallies, NO_CHANGES } from '../../processors/replay/merge-tallies.ts';
import type { App } from '../../src/app.ts';
import { documentIdOf } from '../../src/lanes/read-document.ts';
import { createOneAtATime } from '../../src/one-at-a-time.ts';
import { eachInFlight } from '../../src/rescore/each-in-flight.ts';
import { documentsOf } from '../../src/rescore/replay-documents.ts';
import type { ReplayRequest } from '../../src/rescore/replay-request.ts';
import { fetchChunk } from '../../src/rescore/source/fetch-chunk.ts';
import { createStoreSource } from '../../src/rescore/source/store-source.ts';
import { startScoreThread } from '../../src/rescore/worker/start-score-thread.ts';

/** The parts of the job with tokens read, though nothing is emitted and no audit made: a job reads them for these alone. */
export async function replayWithTokens(
  { store, broker, topics, settings }: App,
  request: ReplayRequest,
): Promise<{ attempts: number; changed: number }> {
  const topic = topics.steps;
  const override = request.policy === null ? {} : { policy_id: documentIdOf(request.policy.text) };
  const shared = { store, topic, partitions: await broker.partitionsOf(topic), request };
  const source = createStoreSource({ ...shared, override, withTokens: true, log: () => {} });
  const plan = await source.plan();
  const history = await source.laneHistory(plan, 0);
  const thread = startScoreThread({
    ...{ topic, replayId: request.replayId, late: request.late, withTokens: true, audits: null, hasBlobs: false },
    rows: { decisions: false, audits: false, trajectories: false },
    reorderEvents: settings.reorderEvents,
    documents: await documentsOf(store, request, [history]),
  });
  await thread.begin(0, history);
  const reader = await store.openBulkReader();
  const oneAtATime = createOneAtATime();
  const reading = { topic, scope: request, withTokens: true };
  let tally = NO_CHANGES;
  await eachInFlight(plan.chunks, 2, new AbortController().signal, async (chunk) => {
    const raw = await oneAtATime(() => fetchChunk(reader, reading, plan, chunk));
    const scored = await thread.score(raw);
    // Not in one expression: two are in flight, and each would add to what the tally was before it waited.
    tally = mergeTallies(tally, scored.tally);
  });
  await Promise.all([thread.close(), reader.close(), source.close()]);
  return { attempts: tally.attempts, changed: tally.changed };
}
