import { parentPort, workerData } from 'node:worker_threads';
import { RollstreamError } from '../errors.ts';
import { type AuditEngine, type EngineSettings, openAuditEngine } from './audit-engine.ts';
import type { WorkerAnswer, WorkerFailure, WorkerRequest } from './worker-runner.ts';

/** A thread of the audit: one engine, one question after the other. */
const settings: EngineSettings = workerData;
const opened: Promise<AuditEngine> = openAuditEngine(settings);
// Told with the answer to the first question.
opened.catch(() => undefined);
let last: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (request: WorkerRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answerTo(request)));
});

async function answerTo({ id, block }: WorkerRequest): Promise<WorkerAnswer> {
  try {
    const engine = await opened;
    return { id, report: block === null ? await engine.finish() : await engine.audit(block) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof RollstreamError) return { code: error.code, message: error.message };
  return { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
