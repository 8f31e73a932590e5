import { Worker } from 'node:worker_threads';
import { ERRORS, type ErrorCode, RollstreamError } from '../errors.ts';
import { workerOptions } from '../threads/worker-options.ts';
import type { BlockReport } from './attempt-report.ts';
import type { EngineSettings, LineBlock } from './audit-engine.ts';
import type { BlockRunner } from './block-runner.ts';

/** What a worker is asked, and what it answers. `id` tells which question is answered. */
export type WorkerRequest =
  | { readonly id: number; readonly block: LineBlock }
  | { readonly id: number; readonly block: null };

export type WorkerAnswer =
  | { readonly id: number; readonly report: BlockReport }
  | { readonly id: number; readonly failure: WorkerFailure };

export interface WorkerFailure {
  /** null: a bug. */
  readonly code: ErrorCode | null;
  readonly message: string;
}

/** Objects of a parsed line die young: with room for them they are never moved. */
const YOUNG_MB = 96;

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, { resolve(report: BlockReport): void; reject(error: Error): void }>;
}

/** Engines in threads of their own. Interleaved events go to the first, in order; whole records to whoever has least to do. */
export function createWorkerRunner(settings: EngineSettings, count: number): BlockRunner {
  const threads = Array.from({ length: count }, () => startThread(settings));
  let nextId = 0;

  function ask(thread: Thread, block: LineBlock | null): Promise<BlockReport> {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      thread.waiting.set(id, { resolve, reject });
      const request: WorkerRequest = { id, block };
      thread.worker.postMessage(request, block === null ? [] : [ownMemory(block.bytes)]);
    });
  }

  const idlest = () => threads.reduce((best, thread) => (thread.waiting.size < best.waiting.size ? thread : best));

  return {
    width: 3 * count,
    run(block) {
      const first = threads[0];
      return ask(block.isInterleaved && first !== undefined ? first : idlest(), block);
    },
    finish: () => Promise.all(threads.map((thread) => ask(thread, null))),
    close: async () => {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

function startThread(workerData: EngineSettings): Thread {
  const { filename, execArgv } = workerOptions(new URL('./audit-worker.ts', import.meta.url));
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
  const worker = new Worker(filename, { workerData, execArgv, resourceLimits });
  const waiting: Thread['waiting'] = new Map();
  const fail = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on('message', (answer: WorkerAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('report' in answer) asked?.resolve(answer.report);
    else asked?.reject(errorOf(answer.failure));
  });
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`a worker of the audit ended with ${code}`)));
  return { worker, waiting };
}

function errorOf({ code, message }: WorkerFailure): Error {
  return code !== null && code in ERRORS ? new RollstreamError(code, message) : new Error(message);
}

function ownMemory({ buffer }: Uint8Array): ArrayBuffer {
  if (buffer instanceof ArrayBuffer) return buffer;
  throw new Error('a block must have memory of its own');
}
