import type { RewardRule } from '../../model/policy.ts';
import { addPart, type Parts } from './parts.ts';

/** Tool calls that were malformed, and those that a parser mended, each times what the policy adds for one. */
export function addCalls(
  parts: Parts,
  { malformedCall, repairedCall }: RewardRule,
  { malformedCalls, repairedCalls }: { readonly malformedCalls: number; readonly repairedCalls: number },
): void {
  if (malformedCall !== 0) addPart(parts, 'malformed_call', malformedCall * malformedCalls);
  if (repairedCall !== 0) addPart(parts, 'repaired_call', repairedCall * repairedCalls);
}
