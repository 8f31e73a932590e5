import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Counters, newCounters } from '../../../clients/typescript/counters.ts';
import { SEGMENT_SUFFIX } from '../../../clients/typescript/read-lines.ts';
import { createSender, type Sender } from '../../../clients/typescript/sender.ts';
import { Spool } from '../../../clients/typescript/spool.ts';
import type { LeftOver } from '../../../clients/typescript/spool-folder.ts';

const MIB = 1024 * 1024;
const NEWLINE = 10;
const SEGMENT_BYTES = 8 * MIB;
const SENDER_LIMITS = {
  batchBytes: MIB,
  batchLines: 5_000,
  lingerMs: 50,
  firstPauseMs: 200,
  longestPauseMs: 30_000,
};

export interface SpoolAndSender {
  readonly spool: Spool;
  readonly counters: Counters;
  /** null: there is no server to send to. */
  readonly sender: Sender | null;
  /** What waits to be answered for, of earlier spools too. */
  waiting(): { readonly events: number; readonly bytes: number };
  close(): void;
}

/**
 * A spool of its own in `folder`, and those that were left there before it, which are sent first. Their producer is the same and goes
 * on: that it ended is never said.
 */
export function openSpool(
  folder: string,
  producerId: string,
  server: { readonly url: string; readonly token: string | null } | null,
  maxBytes: number,
): SpoolAndSender {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const before = names.map(({ name }) => Number(name)).sort((a, b) => a - b);
  const leftOvers: LeftOver[] = before.map((name) => ({
    folder: join(folder, nameOf(name)),
    producerId,
    isEnded: true,
  }));
  const left = leftOvers.map((one) => sizeOf(one.folder));
  const leftBytes = left.reduce((sum, { bytes }) => sum + bytes, 0);
  const leftEvents = left.reduce((sum, { events }) => sum + events, 0);
  const mine = join(folder, nameOf((before.at(-1) ?? -1) + 1));
  mkdirSync(mine, { mode: 0o700 });
  const spool = new Spool(mine, { maxBytes: Math.max(0, maxBytes - leftBytes), segmentBytes: SEGMENT_BYTES });
  const counters = newCounters();
  const stop = new AbortController();
  const sender =
    server === null
      ? null
      : createSender({
          ...{ spool, leftOvers, counters, limits: SENDER_LIMITS },
          server: { url: server.url.replace(/\/+$/, ''), token: server.token, gzip: false, stop: stop.signal },
          aside: { path: join(folder, 'refused.ndjson'), maxBytes },
        });
  return {
    ...{ spool, counters, sender },
    waiting() {
      const { recorded, sent, refused, recovered } = counters;
      const events = recorded - sent - refused + Math.max(0, leftEvents - recovered);
      const bytes = leftOvers.reduce((sum, one) => sum + bytesIn(one.folder), spool.pendingBytes);
      return { events, bytes };
    },
    close() {
      sender?.stop();
      stop.abort();
      spool.close();
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
