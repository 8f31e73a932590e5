import type { LogRecord } from '../broker/port.ts';
import type { HeldProgress } from './held-progress.ts';

/** Records of the held topic, all there are in [from, to). */
export interface HeldBatch {
  readonly from: number;
  readonly to: number;
  readonly records: readonly LogRecord[];
}

/** The last offset of a run that may be moved: all while its gate is open, else what was said to be released before it closed. */
export type MayMoveTo = (runId: string) => number;

/** What lies below is of a deleted run of that name: it is passed over; 0: nothing is. */
export type GoneBelow = (runId: string) => number;

/** A record of the held topic says its run in a header; null: not one of ours. */
export function runOfHeld({ headers }: LogRecord): string | null {
  return headers.run ?? null;
}

/** Where the next batch begins: at the oldest record that may be moved now. */
export function nextToLookAt({ lookedTo, waiting }: HeldProgress, mayMoveTo: MayMoveTo): number {
  let next = lookedTo;
  for (const [runId, offset] of waiting) if (offset < next && offset <= mayMoveTo(runId)) next = offset;
  return next;
}

/**
 * What of a batch may be moved now, and the progress once it was. IN ORDER WITHIN A RUN: a run is taken from a batch only when the
 * batch begins at or before its first record that is left. 1 run A is held @5 and @9; 2 a batch from 8 on is read for run B; 3 the
 * gate of A opens: with what the batch holds, @9 would be ready before @5.
 */
export function lookThroughHeld(
  progress: HeldProgress,
  { from, to, records }: HeldBatch,
  mayMoveTo: MayMoveTo,
  goneBelow: GoneBelow = () => 0,
): { readonly moved: readonly LogRecord[]; readonly next: HeldProgress } {
  const firstLeft = (runId: string) => progress.waiting.get(runId) ?? progress.lookedTo;
  const stopped = new Map<string, number>();
  const moved: LogRecord[] = [];
  for (const record of records) {
    const { offset } = record;
    const runId = runOfHeld(record);
    if (runId === null || offset < firstLeft(runId) || stopped.has(runId)) continue;
    if (firstLeft(runId) >= from && offset <= mayMoveTo(runId)) {
      if (offset >= goneBelow(runId)) moved.push(record);
    } else stopped.set(runId, offset);
  }
  const lookedTo = Math.max(progress.lookedTo, to);
  const waiting = new Map<string, number>();
  for (const [runId, offset] of progress.waiting) {
    const isLookedThrough = offset >= from && offset < to && !stopped.has(runId);
    const first = isLookedThrough ? to : offset;
    if (first < lookedTo) waiting.set(runId, first);
  }
  for (const [runId, offset] of stopped) if (firstLeft(runId) >= from) waiting.set(runId, offset);
  return { moved, next: { lookedTo, waiting } };
}

/**
 * Without the members at its end of a group that may go on behind it, so that a group is moved as a whole: they stand together,
 * as one transaction wrote them. One that fills the batch is too large for that.
 */
export function withoutBrokenGroup(records: readonly LogRecord[], logEnd: number): readonly LogRecord[] {
  const last = records.at(-1);
  if (last === undefined || last.offset + 1 >= logEnd || last.headers.group === undefined) return records;
  const isMember = ({ key }: LogRecord) => key !== null && last.key !== null && key.equals(last.key);
  const others = records.findLastIndex((record) => !isMember(record)) + 1;
  return others === 0 ? records : records.slice(0, others);
}
