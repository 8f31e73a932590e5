import type { RewardRule } from '../../model/policy.ts';
import { addPart, type Parts } from './parts.ts';

/** Scales and clips a finite sum; each step leaves a component that says by how much it moved the reward. */
export function scaleAndClip(parts: Parts, sum: number, { scale, clip }: RewardRule): number {
  const scaled = sum * scale;
  if (scale !== 1) addPart(parts, 'scale', scaled - sum);
  if (clip === null || !Number.isFinite(scaled)) return scaled;
  const clipped = Math.min(Math.max(scaled, clip.min), clip.max);
  addPart(parts, 'clip', clipped - scaled);
  return clipped;
}
