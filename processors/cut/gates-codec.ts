import { GATE_STATES, type GateInForce, type GatesByRun } from '../model/gate.ts';
import { pushText, readCount, readText } from './text-codec.ts';
import { type Cursor, pushVarint, readVarint } from './varint.ts';

/** Runs in order, of each: id, number of its state, number of its change, classes that are quarantined. */
export function pushGates(bytes: number[], gates: GatesByRun): void {
  pushVarint(bytes, gates.size);
  for (const [runId, { state, classes, seq }] of gates) {
    pushText(bytes, runId);
    pushVarint(bytes, GATE_STATES.indexOf(state));
    pushVarint(bytes, seq);
    pushVarint(bytes, classes.length);
    for (const name of classes) pushText(bytes, name);
  }
}

/** null: no gates, or not written by this version. */
export function readGates(cursor: Cursor): GatesByRun | null {
  const gates = new Map<string, GateInForce>();
  const runs = readCount(cursor);
  for (let run = 0; run < runs; run++) {
    const runId = readText(cursor);
    const state = GATE_STATES[readVarint(cursor)];
    const seq = readVarint(cursor);
    const classes = Array.from({ length: readCount(cursor) }, () => readText(cursor));
    if (state === undefined || cursor.at > cursor.bytes.length) return null;
    gates.set(runId, { state, classes, seq });
  }
  return runs > 0 && gates.size === runs ? gates : null;
}
