import type { EmitBatch } from './cut-batches.ts';

/** How far a replay was emitted in a run, as its commit says it. */
export interface EmitProgress {
  /** Place of the first unit that nothing was decided about. It is the offset of the commit. */
  readonly position: number;
  readonly topic: string;
  /** Places of the units whose records are in the transaction of the commit: their rows may not have been written. */
  readonly last: readonly number[];
  readonly units: number;
  readonly trajectories: number;
  /** Units, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export function progressAfter(before: EmitProgress, { emitted, leftOut, next }: EmitBatch): EmitProgress {
  const counts: Record<string, number> = { ...before.leftOut };
  for (const [reason, n] of leftOut) counts[reason] = (counts[reason] ?? 0) + n;
  return {
    position: next,
    topic: before.topic,
    last: emitted.map(({ unit }) => unit.position),
    units: before.units + emitted.length,
    trajectories: emitted.reduce((sum, { shapes }) => sum + shapes.length, before.trajectories),
    leftOut: counts,
  };
}

const VERSION = 1;

/** Bounded by the units of a transaction: far below what a commit may say (src/lanes/commit-text.ts). */
export function encodeEmitProgress({ position: _, last, ...rest }: EmitProgress): string {
  // From one to the next, since they lie close together.
  const steps = last.map((place, index) => place - (last[index - 1] ?? 0));
  return JSON.stringify({ version: VERSION, steps, ...rest });
}

/** null: this version did not write it. */
export function decodeEmitProgress(text: string, position: number): EmitProgress | null {
  const said = parsed(text);
  if (said === null || said.version !== VERSION) return null;
  const { topic, steps, units, trajectories, leftOut } = said;
  if (typeof topic !== 'string' || !Array.isArray(steps) || !isCount(units) || !isCount(trajectories)) return null;
  const counts = countsOf(leftOut);
  if (counts === null || !steps.every(isCount)) return null;
  let place = 0;
  const last = steps.map((step) => {
    place += step;
    return place;
  });
  return { position, topic, last, units, trajectories, leftOut: counts };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function countsOf(value: unknown): Record<string, number> | null {
  if (typeof value !== 'object' || value === null) return null;
  const entries = Object.entries(value).filter((entry): entry is [string, number] => isCount(entry[1]));
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
