import type { Logger } from 'pino';
import type { DocumentIds } from '../../processors/model/control.ts';
import type { LaneHistoryDeps } from '../../processors/replay/create-lane-history.ts';
import { type StepEvent, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { App } from '../app.ts';
import type { DocumentRow } from '../clickhouse/tables/documents.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { ReplayChunk, ReplayPlan, ReplaySource } from './replay-source.ts';
import { fetchChunk } from './source/fetch-chunk.ts';
import { createLogSource } from './source/log-source.ts';
import { createStoreSource } from './source/store-source.ts';
import type { ScoredChunk, ScorerSettings } from './worker/chunk-scorer.ts';
import { createUnitScorer } from './worker/create-unit-scorer.ts';
import { readDocuments } from './worker/read-documents.ts';
import { startScoreThread } from './worker/start-score-thread.ts';

export type ScoringApp = Pick<App, 'broker' | 'store' | 'codecs' | 'blobs' | 'topics' | 'settings'>;

export interface ScoringOf {
  readonly request: ReplayRequest;
  readonly override: Partial<DocumentIds>;
  /** Of a chunk at most, about; absent: as the source likes. */
  readonly chunkEvents?: number;
  readonly log: Logger;
}

/** Where the events of a request come from. */
export async function openSource(app: ScoringApp, of: ScoringOf): Promise<ReplaySource> {
  const { request, override, chunkEvents } = of;
  const partitions = await app.broker.partitionsOf(app.topics.steps);
  const shared = {
    ...{ store: app.store, topic: app.topics.steps, partitions, request, override },
    ...(chunkEvents === undefined ? {} : { chunkEvents }),
    log: (message: string) => of.log.info({ replay: request.replayId }, message),
  };
  if (request.source === 'store') return createStoreSource({ ...shared, withTokens: needsTokens(request) });
  const decodeEvent = app.codecs.decoderOf<StepEvent>(stepEventSchema);
  return createLogSource({ ...shared, broker: app.broker, decodeEvent, prepare: app.codecs.prepare });
}

/** Scores chunks that a source has planned. */
export interface Scoring {
  score(chunk: ReplayChunk): Promise<ScoredChunk>;
  close(): Promise<void>;
}

export interface Planned {
  readonly source: ReplaySource;
  readonly plan: ReplayPlan;
  /** By partition: of each that has chunks. */
  readonly histories: ReadonlyMap<number, LaneHistoryDeps>;
  readonly documents: readonly DocumentRow[];
}

/**
 * Rows of the store are read here, and become units and scores in a thread of their own. Records of the log are this process's own,
 * and so is what is made of them: in turns, so that it goes on serving.
 */
export async function openScoring(app: ScoringApp, of: ScoringOf, planned: Planned): Promise<Scoring> {
  const { request, log } = of;
  const { source, plan, histories } = planned;
  const settings = settingsOf(app, request, planned.documents);
  const oneAtATime = createOneAtATime();
  if (request.source === 'log') {
    const scorer = await createUnitScorer(settings, readDocuments(settings.documents), log);
    for (const [partition, history] of histories) scorer.begin(partition, history);
    return {
      score: (chunk) => oneAtATime(() => scorer.score(chunk.partition, source.read(plan, chunk))),
      close: scorer.close,
    };
  }
  const reading = { topic: app.topics.steps, scope: request, withTokens: settings.withTokens };
  const reader = await app.store.openBulkReader();
  const thread = startScoreThread(settings);
  try {
    for (const [partition, history] of histories) await thread.begin(partition, history);
  } catch (error) {
    await Promise.all([thread.close(), reader.close()]);
    throw error;
  }
  return {
    async score(chunk) {
      const raw = await oneAtATime(() => fetchChunk(reader, reading, plan, chunk));
      return thread.score(raw);
    },
    async close() {
      await thread.close();
      await oneAtATime(() => reader.close());
    },
  };
}

function settingsOf(
  { topics, settings, blobs }: ScoringApp,
  request: ReplayRequest,
  documents: readonly DocumentRow[],
): ScorerSettings {
  const { replayId, late, audits, save, emit } = request;
  return {
    ...{ topic: topics.steps, replayId, late },
    // Records of the log have them.
    withTokens: request.source === 'log' || needsTokens(request),
    rows: { decisions: save, audits: save && audits, trajectories: emit !== null },
    audits: audits ? { deep: settings.audits ?? null } : null,
    reorderEvents: settings.reorderEvents,
    hasBlobs: blobs !== null,
    documents,
  };
}

/** Trajectories are what is emitted, and audits look at tokens. */
function needsTokens({ emit, audits }: ReplayRequest): boolean {
  return emit !== null || audits;
}
