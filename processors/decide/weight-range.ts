import { type Segment, sampledIn } from '../model/segment.ts';

export interface WeightRange {
  /** null: unknown, or of an unknown order. Unknown is never fresh. */
  readonly min: string | null;
  readonly max: string | null;
}

/**
 * Oldest and newest weights that sampled. One version is both. Several can be put in order only where their names are whole
 * numbers; a sampled token without a version makes both unknown.
 */
export function weightRangeOf(segments: readonly Segment[]): WeightRange {
  const versions = new Set<string>();
  for (const segment of segments)
    for (const chunk of segment.chunks) {
      if (sampledIn(chunk) === 0) continue;
      if (chunk.spans[0]?.start !== 0) return { min: null, max: null };
      for (const span of chunk.spans) versions.add(span.version);
    }
  const names = [...versions];
  if (names.length === 1) return { min: names[0] ?? null, max: names[0] ?? null };
  if (names.length === 0 || !names.every((name) => /^(0|[1-9]\d{0,14})$/.test(name))) return { min: null, max: null };
  const sorted = names.sort((a, b) => Number(a) - Number(b));
  return { min: sorted[0] ?? null, max: sorted.at(-1) ?? null };
}
