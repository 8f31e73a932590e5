import type { RunWeights, WeightsByRun } from '../model/weights.ts';
import { pushBytes, pushText, readBytes, readCount, readText } from './text-codec.ts';
import { type Cursor, pushVarint, readVarint } from './varint.ts';

/**
 * Runs in order, of each: id, lineages that were left, lineage, versions. A name says how many bytes it shares with the one
 * before it, an ordinal how far it is from it: `step-101` after `step-100` takes four bytes, 128 of a run about 500.
 */
export function pushWeights(bytes: number[], weights: WeightsByRun): void {
  pushVarint(bytes, weights.size);
  for (const [runId, { lineage, ordinals, left }] of weights) {
    pushText(bytes, runId);
    pushVarint(bytes, left.length);
    for (const name of left) pushText(bytes, name);
    pushText(bytes, lineage);
    pushVarint(bytes, ordinals.size);
    let before = { name: Buffer.alloc(0), ordinal: 0 };
    for (const [version, ordinal] of ordinals) {
      const name = Buffer.from(version);
      const shared = sharedBytes(before.name, name);
      pushVarint(bytes, ordinal - before.ordinal);
      pushVarint(bytes, shared);
      pushBytes(bytes, name.subarray(shared));
      before = { name, ordinal };
    }
  }
}

/** null: no weights, or not written by this version. */
export function readWeights(cursor: Cursor): WeightsByRun | null {
  const weights = new Map<string, RunWeights>();
  const runs = readVarint(cursor);
  if (runs === 0 || runs > cursor.bytes.length) return null;
  for (let run = 0; run < runs; run++) {
    const runId = readText(cursor);
    const left = Array.from({ length: readCount(cursor) }, () => readText(cursor));
    const lineage = readText(cursor);
    const ordinals = readOrdinals(cursor);
    const current = [...ordinals.values()].at(-1);
    if (current === undefined || cursor.at > cursor.bytes.length) return null;
    weights.set(runId, { lineage, current, ordinals, left });
  }
  return weights.size === runs ? weights : null;
}

function readOrdinals(cursor: Cursor): Map<string, number> {
  const ordinals = new Map<string, number>();
  let ordinal = 0;
  let name: Buffer = Buffer.alloc(0);
  for (let rest = readCount(cursor); rest > 0; rest--) {
    ordinal += readVarint(cursor);
    const shared = readVarint(cursor);
    name = Buffer.concat([name.subarray(0, shared), readBytes(cursor)]);
    ordinals.set(name.toString(), ordinal);
  }
  return ordinals;
}

function sharedBytes(a: Buffer, b: Buffer): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared;
}
