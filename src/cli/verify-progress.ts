import { SingleBar } from 'cli-progress';
import type { VerifierProgress } from '../verify/verdict-counts.ts';
import type { Io } from './io.ts';

/** How far a verifier is. */
export interface VerifyProgress {
  update(progress: VerifierProgress): void;
  /** Takes the bar away, so that text can follow. */
  stop(): void;
}

/** A bar with what is known already, cost and ETA; on a terminal only. */
export function createVerifyProgress(io: Io, quiet: boolean): VerifyProgress {
  if (quiet || !io.stderrIsTerminal) return { update() {}, stop() {} };
  const format = 'judging {bar} {value} of {total}  {cached} known before  {faults} without a score{spent}  ETA {eta}';
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true, fps: 8 });
  let started = false;
  return {
    update({ done, cached, byStatus, cost, total, etaS }) {
      const facts = {
        cached,
        faults: done - (byStatus.scored ?? 0),
        spent: cost === null ? '' : `  cost ${cost.toFixed(4)}`,
        eta: etaS === null ? '?' : `${Math.ceil(etaS)} s`,
      };
      const all = Math.max(total ?? 0, done);
      if (started) {
        bar.setTotal(all);
        bar.update(done, facts);
      } else bar.start(all, done, facts);
      started = true;
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}
