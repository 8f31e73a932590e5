import { appendFileSync } from 'node:fs';
import type { Counters } from './counters.ts';
import { LeftOverSource } from './left-over-source.ts';
import { createPause } from './pause.ts';
import { type Answer, postEnded, postSteps, type Server } from './post.ts';
import type { Batch, BatchSource } from './read-lines.ts';
import type { Spool } from './spool.ts';
import { type LeftOver, removeSpoolFolder } from './spool-folder.ts';

export interface SenderLimits {
  readonly batchBytes: number;
  readonly batchLines: number;
  /** How long a first event waits for others. */
  readonly lingerMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export interface SenderDeps {
  readonly server: Server;
  readonly spool: Spool;
  /** Folders of processes that are no more: sent first, so that what their producers left open closes before anything new opens. */
  readonly leftOvers: LeftOver[];
  /** Where events are kept that the server does not even read, and how many bytes of them. */
  readonly aside: { readonly path: string; readonly maxBytes: number };
  readonly counters: Counters;
  readonly limits: SenderLimits;
  /** How a batch is sent, where others send at the same time. */
  readonly post?: typeof postSteps;
}

export interface Sender {
  /** There is something to send. */
  wake(): void;
  /** Whether all that was recorded before, here and in spools left behind, was answered in time. */
  drained(timeoutMs: number): Promise<boolean>;
  /** No further request. */
  stop(): void;
}

type Count = (lines: number, refused: number) => void;

/** One request at a time, oldest events first; what is answered leaves the spool. Its timers do not keep the process alive. */
export function createSender(deps: SenderDeps): Sender {
  const { server, spool, leftOvers, aside, counters, limits, post = postSteps } = deps;
  const nothingToDo = createPause();
  const backOff = createPause();
  let waiting: { readonly upTo: number; readonly resolve: () => void }[] = [];
  let isStopped = false;
  let maxLines = limits.batchLines;
  let asideBytes = 0;

  async function run(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await sendLeftOvers();
        if (await sendNext(spool, countOwn)) failures = 0;
        else await rest();
      } catch (error) {
        // A file that cannot be read, say: nothing is given up.
        counters.lastProblem = messageOf(error);
        await backOff.wait(pauseMs(failures++));
      }
    }
  }

  async function rest(): Promise<void> {
    if (isStopped) return;
    if (spool.pendingBytes === 0) await nothingToDo.wait(null);
    if (waiting.length === 0 && !isStopped) await backOff.wait(limits.lingerMs);
  }

  const countOwn: Count = (lines, refused) => {
    counters.refused += refused;
    counters.sent += lines - refused;
  };
  const countRecovered: Count = (lines) => {
    counters.recovered += lines;
  };

  async function sendLeftOvers(): Promise<void> {
    for (let left = leftOvers[0]; left !== undefined && !isStopped; left = leftOvers[0]) {
      try {
        if (!(await sendLeftOver(left))) return;
      } catch (error) {
        // It cannot be read, or was taken away. What is recorded now must not wait for it.
        counters.lastProblem = `${left.folder}: ${messageOf(error)}`;
      }
      leftOvers.shift();
      tellWaiting();
    }
  }

  /** false: it was stopped before. */
  async function sendLeftOver({ folder, producerId, isEnded }: LeftOver): Promise<boolean> {
    const source = new LeftOverSource(folder);
    while (!isStopped && (await sendNext(source, countRecovered)));
    if (isStopped) return false;
    // Not understood by an older server: its deadlines close what is open.
    const tell = (): Promise<Answer> => postEnded(server, producerId, `${producerId}/ended`);
    if (!isEnded && (await untilAnswered(tell)) === null) return false;
    removeSpoolFolder(folder);
    return true;
  }

  /** false: there is nothing. */
  async function sendNext(source: BatchSource, count: Count): Promise<boolean> {
    const batch = await source.next({ maxBytes: limits.batchBytes, maxLines });
    if (batch === null) return false;
    const answer = await untilAnswered(() => post(server, batch));
    if (answer === null) return true;
    if (answer.kind === 'never' && batch.lines > 1) {
      // One of them is too much, or all together are.
      maxLines = batch.lines >> 1;
      return true;
    }
    if (answer.kind === 'never') setAside(batch);
    else maxLines = Math.min(limits.batchLines, maxLines * 2);
    if (answer.why !== null) counters.lastProblem = answer.why;
    count(batch.lines, answer.kind === 'never' ? 1 : answer.refused);
    source.answered(batch);
    tellWaiting();
    return true;
  }

  /** null: it was stopped. */
  async function untilAnswered(request: () => Promise<Answer>): Promise<Exclude<Answer, { kind: 'later' }> | null> {
    for (let failures = 0; ; failures++) {
      const answer = await request();
      if (answer.kind !== 'later') return answer;
      if (isStopped) return null;
      counters.lastProblem = answer.why;
      counters.retries += 1;
      await backOff.wait(Math.min(answer.afterMs ?? pauseMs(failures), limits.longestPauseMs));
      if (isStopped) return null;
    }
  }

  /** Not all at once, after an outage that all of them saw. */
  function pauseMs(failures: number): number {
    const longest = Math.min(limits.longestPauseMs, limits.firstPauseMs * 2 ** Math.min(failures, 20));
    return longest * (0.5 + Math.random() / 2);
  }

  function setAside({ bytes }: Batch): void {
    if (asideBytes + bytes.length > aside.maxBytes) return;
    asideBytes += bytes.length;
    appendFileSync(aside.path, bytes, { mode: 0o600 });
  }

  function tellWaiting(): void {
    const answered = counters.sent + counters.refused;
    const isThere = ({ upTo }: { readonly upTo: number }): boolean => leftOvers.length === 0 && answered >= upTo;
    for (const { resolve } of waiting.filter(isThere)) resolve();
    waiting = waiting.filter((one) => !isThere(one));
  }

  const running = run();
  return {
    wake: nothingToDo.end,
    drained(timeoutMs) {
      return new Promise((resolve) => {
        const end = (isDrained: boolean): void => {
          clearTimeout(timer);
          waiting = waiting.filter((one) => one !== waiter);
          resolve(isDrained);
        };
        const waiter = { upTo: counters.recorded, resolve: () => end(true) };
        const timer = setTimeout(() => end(false), timeoutMs);
        waiting.push(waiter);
        running.then(() => end(false));
        tellWaiting();
        nothingToDo.end();
        backOff.end();
      });
    },
    stop() {
      isStopped = true;
      nothingToDo.end();
      backOff.end();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
