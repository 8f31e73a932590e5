import { createHash } from 'node:crypto';
import type { AttemptReport } from './attempt-report.ts';

/** A set of JavaScript holds 16 million; older ones are forgotten by half of that. */
const MOST_EACH = 8_000_000;

/** Tells the first report of an attempt from a repeat: a line that stands in its file twice is one trajectory. */
export function createSeenAttempts(mostEach = MOST_EACH): (report: AttemptReport) => boolean {
  let recent = new Set<string>();
  let older = new Set<string>();
  return ({ runId, epoch, groupId, rolloutId, attempt }) => {
    const identity = JSON.stringify([runId, epoch, groupId, rolloutId, attempt]);
    // 128 bits: two attempts do not meet by chance.
    const key = createHash('sha256').update(identity).digest().toString('latin1', 0, 16);
    if (recent.has(key) || older.has(key)) return false;
    recent.add(key);
    if (recent.size >= mostEach) {
      older = recent;
      recent = new Set();
    }
    return true;
  };
}
