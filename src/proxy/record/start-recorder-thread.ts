import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { RollstreamError } from '../../errors.ts';
import { workerOptions } from '../../threads/worker-options.ts';
import type { Reuse } from '../journal/file-reuse.ts';
import { THREAD_HEAP_MIB } from './limits.ts';
import type { RecordingStatus } from './port.ts';
import type {
  LeftOfFile,
  RecorderAnswer,
  RecorderQuestion,
  RecorderRequest,
  RecorderStart,
} from './recorder-messages.ts';
import type { Say } from './sending-problems.ts';

export interface RecorderThread {
  ended(path: string, reuse?: Reuse | null): void;
  /** Asked again of the next thread where this one dies. */
  ask(question: RecorderQuestion): Promise<RecordingStatus | null>;
  status(): Promise<RecordingStatus>;
  close(timeoutMs: number): Promise<RecordingStatus | null>;
}

interface Asked {
  readonly question: RecorderQuestion;
  resolve(status: RecordingStatus | null): void;
  reject(error: Error): void;
}

const PROGRAM = new URL('./recorder-thread.ts', import.meta.url);
const HEAP = { maxOldGenerationSizeMb: THREAD_HEAP_MIB };
/** A call that so many threads died of is set aside. */
const MOST_DEATHS = 2;
/** For what ended before a recording is closed, beside the time that it may take to be sent. */
const GRACE_MS = 10_000;
const RESTART = { firstMs: 200, longestMs: 10_000 };
/** Files of calls that may be made again are looked through when there are so many. */
const MANY_STAYING = 10_000;

/** The thread of a recording. One that dies is started again, and goes on from the files. Rejects where the first cannot begin. */
export async function startRecorderThread(
  start: RecorderStart,
  module = PROGRAM,
  say: Say = () => undefined,
): Promise<RecorderThread> {
  /** Files of ended calls that no thread has taken, and of those that were taken and stay; in the order in which they were told. */
  const told = new Map<string, Reuse | null>(start.leftOver.map((path) => [path, null]));
  const staying = new Set<string>();
  const asked = new Map<number, Asked>();
  /** What the thread was at when it was heard of last, and how many died of it. */
  const taking = { path: '', deaths: 0 };
  const unread: string[] = [];
  let [nextId, deaths] = [0, 0];
  let worker: Worker | null = null;
  let died: string | null = null;
  let isClosed = false;
  let restart: NodeJS.Timeout | undefined;

  function run(leftOver: readonly string[]): Promise<void> {
    const known = new Set(leftOver);
    const { filename, execArgv } = workerOptions(module);
    const workerData: RecorderStart = { ...start, leftOver };
    const mine = new Worker(filename, { workerData, execArgv, resourceLimits: HEAP });
    return new Promise((resolve, reject) => {
      let isReady = false;
      mine.on('message', (answer: RecorderAnswer) => {
        if (answer.kind !== 'ready') return heard(answer);
        isReady = true;
        worker = mine;
        for (const path of unread.splice(0)) mine.postMessage({ kind: 'unread', path });
        // Told while it was starting.
        for (const [path, reuse] of told) if (!known.has(path)) mine.postMessage(endedOf(path, reuse));
        for (const [id, { question }] of asked) mine.postMessage({ ...question, id, ...repeated(question) });
        resolve();
      });
      let why = 'it ended';
      mine.on('error', (error: Error) => {
        why = error.stack ?? error.message;
      });
      mine.on('exit', () => {
        if (worker === mine) worker = null;
        died = why;
        noteDeath();
        if (!isReady) reject(new RollstreamError('RS_INTERNAL', `the thread of the recording cannot begin: ${why}`));
        else if (!isClosed) restartLater();
      });
    });
  }

  function noteDeath(): void {
    if (!told.has(taking.path) && !staying.has(taking.path)) return;
    taking.deaths += 1;
    if (taking.deaths < MOST_DEATHS) return;
    takenOff(taking.path, false);
    staying.delete(taking.path);
    died = `${taking.path} is set aside: ${died}`;
    unread.push(taking.path);
  }

  function restartLater(): void {
    const pause = Math.min(RESTART.longestMs, RESTART.firstMs * 2 ** Math.min(deaths++, 20));
    restart = setTimeout(() => {
      if (isClosed) return;
      run([...staying, ...told.keys()].filter((path) => existsSync(path))).catch(restartLater);
    }, pause);
  }

  function heard(answer: Exclude<RecorderAnswer, { kind: 'ready' }>): void {
    if (answer.kind === 'taking') {
      if (taking.path !== answer.path) Object.assign(taking, { path: answer.path, deaths: 0 });
      return;
    }
    if (answer.kind === 'said') {
      say(answer.level, answer.message);
      return;
    }
    if (answer.kind === 'taken') {
      taken(answer.path, answer.left);
      return;
    }
    const question = asked.get(answer.id);
    asked.delete(answer.id);
    if (answer.kind === 'done') question?.resolve(answer.status);
    else
      question?.reject(
        answer.code === null ? new Error(answer.message) : new RollstreamError(answer.code, answer.message),
      );
  }

  function taken(path: string, left: LeftOfFile): void {
    takenOff(path, left === 'empty');
    if (left === 'all') staying.add(path);
    if (staying.size <= MANY_STAYING) return;
    for (const one of staying) if (!existsSync(one)) staying.delete(one);
  }

  function takenOff(path: string, isEmpty: boolean): void {
    told.get(path)?.(isEmpty);
    told.delete(path);
  }

  function ask(question: RecorderQuestion): Promise<RecordingStatus | null> {
    if (isClosed) return Promise.reject(new RollstreamError('RS_CLOSED', 'the recording is closed'));
    const id = nextId++;
    return new Promise((resolve, reject) => {
      asked.set(id, { question, resolve, reject });
      worker?.postMessage({ ...question, id });
    });
  }

  await run(start.leftOver);
  return {
    ended(path, reuse = null) {
      told.set(path, reuse);
      worker?.postMessage(endedOf(path, reuse));
    },
    ask,
    async status() {
      // Nobody waits for a thread that is not there.
      const said = worker === null ? null : await ask({ kind: 'status' });
      const lastProblem =
        died === null ? (said?.lastProblem ?? null) : `the thread of the recording was started again: ${died}`;
      return { ...(said ?? AWAY), waitingCalls: told.size, lastProblem };
    },
    async close(timeoutMs) {
      if (isClosed) return null;
      const mine = worker;
      // A disk that refuses what is to be written would be waited for without end: files of calls stay for the next process.
      const last = mine === null ? null : await within(timeoutMs + GRACE_MS, ask({ kind: 'close', timeoutMs }));
      isClosed = true;
      clearTimeout(restart);
      for (const { reject } of asked.values()) reject(new RollstreamError('RS_CLOSED', 'the recording is closed'));
      asked.clear();
      await mine?.terminate();
      return last;
    },
  };
}

/** null: it was not done in time. */
async function within<T>(ms: number, done: Promise<T | null>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  const result = await Promise.race([done.catch(() => null), late]);
  clearTimeout(timer);
  return result;
}

const AWAY: RecordingStatus = {
  ...{
    openRollouts: 0,
    waitingCalls: 0,
    spooledEvents: 0,
    spooledBytes: 0,
    lostEvents: 0,
    refusedEvents: 0,
    notAuditable: {},
  },
  ...{ lastProblem: null, runs: [] },
};

function endedOf(path: string, reuse: Reuse | null): RecorderRequest {
  return { kind: 'ended', path, isReused: reuse !== null };
}

/** It may have been done before. */
function repeated(question: RecorderQuestion): { readonly isRepeated?: true } {
  return question.kind === 'end' ? { isRepeated: true } : {};
}
