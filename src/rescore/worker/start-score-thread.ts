import { Worker } from 'node:worker_threads';
import type { LaneHistoryDeps } from '../../../processors/replay/create-lane-history.ts';
import { type ErrorCode, RollstreamError } from '../../errors.ts';
import { workerOptions } from '../../threads/worker-options.ts';
import type { RawChunk } from '../source/fetch-chunk.ts';
import type { ScoredChunk, ScorerSettings } from './chunk-scorer.ts';

/** What the thread is asked; `id` tells which question is answered. */
export type ScoreRequest = { readonly id: number } & (
  | { readonly kind: 'begin'; readonly partition: number; readonly history: LaneHistoryDeps }
  | { readonly kind: 'score'; readonly raw: RawChunk }
  | { readonly kind: 'close' }
);

export type ScoreAnswer =
  | { readonly id: number }
  | { readonly id: number; readonly scored: ScoredChunk }
  | {
      readonly id: number;
      readonly failure: { /** null: a bug. */ readonly code: ErrorCode | null; readonly message: string };
    };

export interface ScoreThread {
  /** Before the first chunk of a partition. */
  begin(partition: number, history: LaneHistoryDeps): Promise<void>;
  /** The chunk's memory is the thread's from here on. */
  score(raw: RawChunk): Promise<ScoredChunk>;
  close(): Promise<void>;
}

/** Objects of a unit die young: with room for them they are never moved. */
const LIMITS = { maxYoungGenerationSizeMb: 96, maxOldGenerationSizeMb: 2048 };

type Asked = { resolve(answer: ScoreAnswer): void; reject(error: Error): void };

/** Scores chunks in a thread of its own, so that whoever serves goes on serving. What it throws rejects the question. */
export function startScoreThread(settings: ScorerSettings): ScoreThread {
  const { filename, execArgv } = workerOptions(new URL('./score-worker.ts', import.meta.url));
  const worker = new Worker(filename, { workerData: settings, execArgv, resourceLimits: LIMITS });
  const asked = new Map<number, Asked>();
  let nextId = 0;
  let dead: Error | null = null;

  const die = (error: Error): void => {
    dead ??= error;
    for (const { reject } of asked.values()) reject(dead);
    asked.clear();
  };
  worker.on('message', (answer: ScoreAnswer) => {
    const question = asked.get(answer.id);
    asked.delete(answer.id);
    if (!('failure' in answer)) return question?.resolve(answer);
    const { code, message } = answer.failure;
    question?.reject(code === null ? new Error(message) : new RollstreamError(code, message));
  });
  worker.on('error', die);
  worker.on('exit', (code) => die(new Error(`the thread of the replay ended with ${code}`)));

  type Question = ScoreRequest extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never;
  const ask = (question: Question, memory: ArrayBuffer[] = []): Promise<ScoreAnswer> => {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      if (dead !== null) return reject(dead);
      asked.set(id, { resolve, reject });
      worker.postMessage({ ...question, id }, memory);
    });
  };

  return {
    async begin(partition, history) {
      await ask({ kind: 'begin', partition, history });
    },
    async score(raw) {
      const answer = await ask({ kind: 'score', raw }, memoryOf(raw));
      if ('scored' in answer) return answer.scored;
      throw new Error('the thread of the replay gave no answer');
    },
    async close() {
      await ask({ kind: 'close' }).catch(() => undefined);
      await worker.terminate();
    },
  };
}

/** Memory that is a part's alone. What shares its memory with others, as small buffers do, is copied. */
function memoryOf(raw: RawChunk): ArrayBuffer[] {
  const own = new Set<ArrayBuffer>();
  for (const part of Object.values(raw)) {
    if (!(part instanceof Uint8Array) || !(part.buffer instanceof ArrayBuffer)) continue;
    if (part.byteLength > 0 && part.byteLength === part.buffer.byteLength) own.add(part.buffer);
  }
  return [...own];
}
