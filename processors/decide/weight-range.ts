import { type Segment, sampledIn } from '../model/segment.ts';
import type { RunWeights } from '../model/weights.ts';

export interface WeightRange {
  /** null: unknown, or of an unknown order. Unknown is never fresh. */
  readonly min: string | null;
  readonly max: string | null;
}

/** What the tokens of an attempt say of the weights that sampled them. */
export interface SampledBy {
  readonly versions: readonly string[];
  /** A sampled token does not say. */
  readonly hasUnknown: boolean;
}

export function sampledBy(segments: readonly Segment[]): SampledBy {
  const versions: string[] = [];
  let last = '';
  let hasUnknown = false;
  for (const segment of segments)
    for (const chunk of segment.chunks) {
      if (sampledIn(chunk) === 0) continue;
      if (chunk.spans[0]?.start !== 0) hasUnknown = true;
      for (const { version } of chunk.spans)
        if (version === '') hasUnknown = true;
        else if (version !== last) {
          last = version;
          if (!versions.includes(version)) versions.push(version);
        }
    }
  return { versions, hasUnknown };
}

/**
 * Oldest and newest weights that sampled: one version is both; several are in the order in which they were announced, or, where
 * one was not, in that of their names if all are whole numbers. A sampled token without a version makes both unknown.
 */
export function weightRangeOf({ versions, hasUnknown }: SampledBy, announced: RunWeights | null): WeightRange {
  const [first] = versions;
  if (hasUnknown || first === undefined) return { min: null, max: null };
  if (versions.length === 1) return { min: first, max: first };
  const place = placeOf(versions, announced);
  if (place === null) return { min: null, max: null };
  const sorted = [...versions].sort((a, b) => place(a) - place(b));
  return { min: sorted[0] ?? null, max: sorted.at(-1) ?? null };
}

function placeOf(versions: readonly string[], announced: RunWeights | null): ((version: string) => number) | null {
  if (announced !== null && versions.every((version) => announced.ordinals.has(version)))
    return (version) => announced.ordinals.get(version) ?? 0;
  return versions.every((version) => /^(0|[1-9]\d{0,14})$/.test(version)) ? Number : null;
}
