import { join } from 'node:path';
import { type ErrorCode, RollstreamError } from '../../errors.ts';
import { createRecordDisk } from './attempts/record-disk.ts';
import { createRecorder, Unreadable } from './create-recorder.ts';
import { RECORD_LIMITS } from './limits.ts';
import type { RecordingStatus } from './port.ts';
import type { RecorderQuestion, RecorderStart } from './recorder-messages.ts';
import { openRunSpools } from './run-spools.ts';
import type { Say } from './sending-problems.ts';

export interface RecorderListener {
  taking(path: string): void;
  /** Events were made of the call, or it waits to be made again. */
  taken(path: string): void;
  readonly say: Say;
  done(id: number, status: RecordingStatus | null): void;
  failed(id: number, code: ErrorCode | null, message: string): void;
}

export interface RecorderQueue {
  /** `isReused`: its file is emptied, not removed. */
  ended(path: string, isReused: boolean): void;
  /** A thread before this one died of it. */
  unread(path: string): void;
  ask(id: number, question: RecorderQuestion): void;
}

/** Others (the sender) have their turn after so long, ms. */
const TURN_MS = 20;
const AGAIN_AFTER_MS = 500;
const IDLE_CHECKS = { shortestMs: 50, longestMs: 30_000, aTime: 10 };

/** One thing at a time, in the order in which it was told. What the disk refuses is tried again, and all that follows waits. */
export function openRecorderQueue({ options, producerId }: RecorderStart, listener: RecorderListener): RecorderQueue {
  const folder = join(options.folder, 'recording');
  const spools = openRunSpools({
    ...{ folder: join(folder, 'spool'), producerId, server: options.server, maxBytes: RECORD_LIMITS.spoolBytes },
    say: listener.say,
  });
  let reused: string | null = null;
  const disk = createRecordDisk(folder, spools, (path) => path === reused);
  const recorder = createRecorder({
    ...{ folder, producerId, options, callsFolder: join(options.folder, 'calls'), limits: RECORD_LIMITS },
    ...{ disk },
    now: Date.now,
  });
  const told = new Set<string>();
  const jobs: { readonly run: () => void; readonly id: number | null }[] = [];
  let isRunning = false;
  let problem: string | null = null;

  function add(run: () => void, id: number | null): void {
    jobs.push({ run, id });
    if (isRunning) return;
    isRunning = true;
    setImmediate(turn);
  }

  function turn(): void {
    const until = performance.now() + TURN_MS;
    for (let job = jobs[0]; job !== undefined; job = jobs[0]) {
      if (!isDone(job)) {
        setTimeout(turn, AGAIN_AFTER_MS);
        return;
      }
      jobs.shift();
      if (performance.now() < until) continue;
      setImmediate(turn);
      return;
    }
    isRunning = false;
  }

  /** false: it is to be tried again. */
  function isDone({ run, id }: (typeof jobs)[number]): boolean {
    try {
      run();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof RollstreamError && id !== null) listener.failed(id, error.code, message);
      else {
        problem = message;
        if (error instanceof Error && 'syscall' in error) return false;
        // A bug of one thing must not stop all others.
        if (id !== null) listener.failed(id, null, message);
        else if (!(error instanceof Unreadable)) problem = error instanceof Error ? (error.stack ?? message) : message;
      }
    }
    return true;
  }

  function status(): RecordingStatus {
    const { events, bytes, runs } = spools.waiting();
    return {
      ...{ openRollouts: recorder.openRollouts, waitingCalls: told.size, spooledEvents: events, spooledBytes: bytes },
      ...{
        lostEvents: recorder.lostEvents,
        refusedEvents: spools.refusedEvents,
        notAuditable: { ...recorder.notAuditable },
      },
      lastProblem: problem ?? spools.lastProblem,
      runs,
    };
  }

  async function close(id: number, timeoutMs: number): Promise<void> {
    clearInterval(idle);
    if (options.server !== null) await spools.drained(timeoutMs);
    disk.close();
    listener.done(id, status());
  }

  const everyMs = Math.min(IDLE_CHECKS.longestMs, Math.max(IDLE_CHECKS.shortestMs, options.idleMs / IDLE_CHECKS.aTime));
  const idle = setInterval(() => {
    // Behind others it would see calls as missing that only wait.
    if (!isRunning) add(() => recorder.endIdle(told), null);
  }, everyMs);

  return {
    ended(path, isReused) {
      told.add(path);
      add(() => {
        listener.taking(path);
        reused = isReused ? path : null;
        try {
          recorder.take(path);
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          problem = error.message;
        } finally {
          // Nobody has it open once it is told to have been taken: what stays for now is removed.
          reused = null;
        }
        told.delete(path);
        listener.taken(path);
      }, null);
    },
    unread: (path) => add(() => recorder.giveUp(path), null),
    ask(id, question) {
      if (question.kind === 'close') return add(() => void close(id, question.timeoutMs), id);
      if (question.kind === 'status') return listener.done(id, status());
      add(() => {
        if (question.kind === 'verdict') recorder.verdict(question.named, question.verdict);
        else recorder.end(question.named, question.end, question.isRepeated);
        listener.done(id, null);
      }, id);
    },
  };
}
