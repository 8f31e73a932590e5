import { isClosed } from '../../processors/model/gate.ts';
import type { LogRecord } from '../broker/port.ts';
import type { GateChange } from './gate-keeper.ts';
import type { MemoryStore } from './memory-store.ts';

/** What is known from outside of what was held. */
export interface HeldOutcome {
  readonly held: readonly LogRecord[];
  readonly ready: readonly LogRecord[];
  /** Of the gates, the first one first. */
  readonly gates: readonly GateChange[];
  readonly store: MemoryStore;
}

/** What does not hold of the forwarding, at any moment; null: all does. */
export function heldProblem({ held, ready, gates, store }: HeldOutcome): string | null {
  const readyAt = placesOf(ready);
  const released = releasedOffsets(store);
  const last = new Map<string, number>();
  for (const record of held) {
    const runId = record.headers.run ?? '';
    const name = `run ${runId}: what was held @${record.offset}`;
    const [at, again] = readyAt.get(bytesOf(record)) ?? [];
    if (again !== undefined) return `${name} is ready twice`;
    if (at === undefined) continue;
    if (!released.has(record.offset)) return `${name} is ready, and its row of released is missing`;
    if (at < (last.get(runId) ?? 0)) return `${name} is ready before what was held earlier`;
    last.set(runId, at);
    const changes = gates.filter((change) => change.runId === runId);
    if (!wasOpen(changes, record.offset, at)) return `${name} is ready, and the gate was not open`;
  }
  return null;
}

/** Nothing is left to be moved: what is held and not ready is of closed runs, and nobody said that it was released. */
export function isForwarded({ held, ready, gates, store }: HeldOutcome): boolean {
  const readyAt = placesOf(ready);
  const released = releasedOffsets(store);
  return held.every((record) => {
    const last = gates.findLast(({ runId }) => runId === record.headers.run);
    const mustWait = !released.has(record.offset) && (last === undefined || !isOpen(last));
    return mustWait || readyAt.has(bytesOf(record));
  });
}

function placesOf(ready: readonly LogRecord[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const record of ready) {
    const bytes = bytesOf(record);
    const same = places.get(bytes);
    if (same === undefined) places.set(bytes, [record.offset]);
    else same.push(record.offset);
  }
  return places;
}

function releasedOffsets(store: MemoryStore): Set<number> {
  return new Set(store.rows('released').map((row) => Number(row.held_offset)));
}

/** Whether the gate was open at any moment after the record was held and before it was ready. */
function wasOpen(changes: readonly GateChange[], heldOffset: number, readyOffset: number): boolean {
  return changes.some((change, i) => {
    const next = changes[i + 1];
    const isInForceThen = change.readyEnd <= readyOffset && (next === undefined || next.heldEnd > heldOffset);
    return isOpen(change) && isInForceThen;
  });
}

function isOpen({ state }: GateChange): boolean {
  return !isClosed({ state });
}

/** Of records that are in a log, and so do not change: they are looked at after each step. */
const known = new WeakMap<LogRecord, string>();

/** Forwarding changes nothing of it. */
function bytesOf(record: LogRecord): string {
  const before = known.get(record);
  if (before !== undefined) return before;
  const { key, value, headers } = record;
  const bytes = JSON.stringify([key?.toString('latin1'), value?.toString('latin1'), headers]);
  known.set(record, bytes);
  return bytes;
}
