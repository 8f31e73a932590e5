import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Counters, newCounters } from '../../../clients/typescript/counters.ts';
import type { postSteps, Server } from '../../../clients/typescript/post.ts';
import { SEGMENT_SUFFIX } from '../../../clients/typescript/read-lines.ts';
import { createSender, type SenderLimits } from '../../../clients/typescript/sender.ts';
import { Spool } from '../../../clients/typescript/spool.ts';
import { type LeftOver, removeSpoolFolder } from '../../../clients/typescript/spool-folder.ts';

const NEWLINE = 10;
const SEGMENT_BYTES = 8 * 1024 * 1024;
const NUMBERED = /^\d{9}$/;

export interface SpoolAndSender {
  append(lines: string): void;
  readonly counters: Counters;
  /** Bytes that wait, those of earlier spools as they were found. */
  readonly bytes: number;
  readonly isEmpty: boolean;
  /** What waits to be answered for, of earlier spools too. */
  waiting(): { readonly events: number; readonly bytes: number };
  /** Whether all of it was answered in time. */
  drained(timeoutMs: number): Promise<boolean>;
  /** Keeps no file open until the next line. */
  rest(): void;
  close(): void;
  /** Of an empty one, nothing stays. */
  remove(): void;
}

export interface SentTo {
  readonly server: Server;
  readonly post: typeof postSteps;
  readonly limits: SenderLimits;
  readonly aside: { readonly path: string; readonly maxBytes: number };
}

/**
 * A spool of its own in `folder`, and those that were left there before it, which are sent first. Their producer is the same and goes
 * on: that it ended is never said. `to`: null: there is no server to send to.
 */
export function openSpool(
  folder: string,
  producerId: string,
  to: SentTo | null,
  problem: (why: string) => void,
): SpoolAndSender {
  const before = numbersIn(folder);
  const left = before.map((name) => ({ folder: join(folder, nameOf(name)), producerId, isEnded: true }));
  const sizes = new Map(left.map((one) => [one.folder, sizeOf(one.folder)]));
  const leftEvents = [...sizes.values()].reduce((sum, { events }) => sum + events, 0);
  const leftOvers: LeftOver[] = [...left];
  const mine = join(folder, nameOf((before.at(-1) ?? -1) + 1));
  const spool = new Spool(mine, { maxBytes: Number.MAX_SAFE_INTEGER, segmentBytes: SEGMENT_BYTES });
  const counters = countersThatTell(problem);
  const sender = to === null ? null : createSender({ ...to, spool, leftOvers, counters });
  let isMade = false;

  function waitingEvents(): number {
    const { recorded, sent, refused, recovered } = counters;
    return recorded - sent - refused + Math.max(0, leftEvents - recovered);
  }

  return {
    counters,
    append(lines) {
      if (!isMade) mkdirSync(mine, { recursive: true, mode: 0o700 });
      isMade = true;
      // What all spools together may hold is looked at before.
      spool.append(lines);
      counters.recorded += lines.split('\n').length - 1;
      sender?.wake();
    },
    get bytes() {
      return leftOvers.reduce((sum, one) => sum + (sizes.get(one.folder)?.bytes ?? 0), spool.pendingBytes);
    },
    get isEmpty() {
      return spool.pendingBytes === 0 && leftOvers.length === 0 && waitingEvents() === 0;
    },
    waiting() {
      // One that could not be read is no left-over of the sender any more, and waits for the next process.
      const bytes = left.reduce((sum, one) => sum + bytesIn(one.folder), spool.pendingBytes);
      return { events: waitingEvents(), bytes };
    },
    drained: async (timeoutMs) => sender === null || sender.drained(timeoutMs),
    rest() {
      // An empty file that is closed would stand in front of the next one.
      if (spool.pendingBytes > 0) spool.close();
    },
    close() {
      sender?.stop();
      spool.close();
    },
    remove() {
      sender?.stop();
      spool.close();
      removeSpoolFolder(mine);
    },
  };
}

/** Numbers of the spools in a folder, in order. */
export function numbersIn(folder: string): number[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.flatMap(({ name }) => (NUMBERED.test(name) ? [Number(name)] : [])).sort((a, b) => a - b);
}

function countersThatTell(problem: (why: string) => void): Counters {
  let last: string | null = null;
  return {
    ...newCounters(),
    get lastProblem() {
      return last;
    },
    set lastProblem(why) {
      last = why;
      if (why !== null) problem(why);
    },
  };
}

/** Of files of a spool; 0 where they are gone. */
function sizeOf(folder: string): { readonly bytes: number; readonly events: number } {
  let [bytes, events] = [0, 0];
  try {
    for (const name of readdirSync(folder)) {
      if (!name.endsWith(SEGMENT_SUFFIX)) continue;
      const read = readFileSync(join(folder, name));
      bytes += read.length;
      for (let at = read.indexOf(NEWLINE); at !== -1; at = read.indexOf(NEWLINE, at + 1)) events += 1;
    }
  } catch {
    // It was sent meanwhile.
  }
  return { bytes, events };
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}

function nameOf(number: number): string {
  return String(number).padStart(9, '0');
}
