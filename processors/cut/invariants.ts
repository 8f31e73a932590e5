import { checkAssemble } from '../assemble/state.ts';
import { checkGroups } from '../group/group-invariants.ts';
import type { LaneState } from '../model/lane-state.ts';
import { checkProgress } from './cut.ts';

/** Every relation that must hold of a lane between two records, `position` being the next: the first that does not, or null. */
export function checkLane(state: LaneState, position: number): string | null {
  return checkAssemble(state) ?? checkGroups(state) ?? checkProgress(state, position);
}
