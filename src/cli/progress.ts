import { SingleBar } from 'cli-progress';
import type { Io } from './io.ts';

/** How far reading files is. */
export interface Progress {
  update(done: { readonly bytes: number; readonly totalBytes: number; readonly events: number }): void;
  /** Takes the bar away, so that text can follow. */
  stop(): void;
}

const silent: Progress = { update() {}, stop() {} };
const MB = 2 ** 20;

/** A bar with rate and ETA; on a terminal only. */
export function createProgress(io: Io, quiet: boolean, what: 'importing' | 'auditing' = 'importing'): Progress {
  if (quiet || !io.stderrIsTerminal) return silent;
  const format = `${what} {bar} {percentage}%  {mb} MB  {events} events  {rate} MB/s  ETA {eta_formatted}`;
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true, fps: 8 });
  const began = io.now();
  let started = false;
  return {
    update({ bytes, totalBytes, events }) {
      const facts = {
        mb: (bytes / MB).toFixed(1),
        events,
        rate: (bytes / MB / Math.max(0.001, (io.now() - began) / 1000)).toFixed(1),
      };
      if (started) {
        bar.setTotal(Math.max(totalBytes, bytes));
        bar.update(bytes, facts);
      } else {
        started = true;
        bar.start(Math.max(totalBytes, 1), bytes, facts);
      }
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}
