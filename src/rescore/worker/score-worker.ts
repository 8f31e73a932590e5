import { parentPort, workerData } from 'node:worker_threads';
import { RollstreamError } from '../../errors.ts';
import { createLogger } from '../../observe/create-logger.ts';
import { unitsOfChunk } from '../source/units-of-chunk.ts';
import type { ScoredChunk, ScorerSettings } from './chunk-scorer.ts';
import { createUnitScorer, type UnitScorer } from './create-unit-scorer.ts';
import { readDocuments } from './read-documents.ts';
import type { ScoreAnswer, ScoreRequest } from './start-score-thread.ts';

/** The thread of a replay: one question after the other. */
const settings: ScorerSettings = workerData;
const log = createLogger('warn', process.stderr);
const opened: Promise<UnitScorer> = open();
// Told with the answer to the first question.
opened.catch(() => undefined);
let last: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (request: ScoreRequest) => {
  last = last.then(async () => {
    const answer = await answerTo(request);
    const memory = 'scored' in answer ? memoryOf(answer.scored) : [];
    parentPort?.postMessage(
      answer,
      memory.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  });
});

function memoryOf({ batches, blobs }: ScoredChunk): ArrayBufferLike[] {
  return [...batches.map(({ rowBinary }) => rowBinary.buffer), ...blobs.map(({ bytes }) => bytes.buffer)];
}

async function open(): Promise<UnitScorer> {
  return createUnitScorer(settings, readDocuments(settings.documents), log);
}

async function answerTo(request: ScoreRequest): Promise<ScoreAnswer> {
  const { id } = request;
  try {
    const scorer = await opened;
    if (request.kind === 'begin') {
      scorer.begin(request.partition, request.history);
      return { id };
    }
    if (request.kind === 'close') {
      await scorer.close();
      return { id };
    }
    return { id, scored: await scorer.score(request.raw.partition, unitsOfChunk(request.raw)) };
  } catch (error) {
    if (error instanceof RollstreamError) return { id, failure: { code: error.code, message: error.message } };
    return {
      id,
      failure: { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    };
  }
}
