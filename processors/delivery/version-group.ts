import type { ReadyEntry } from '../model/delivery.ts';

/** Stands in no unit and in no replay id. */
const APART = '\u0000';

/** What is delivered together of a version: its group, or, where rollouts go one by one, the one rollout. */
export function versionGroup(unit: string, replay: string, alone: string | null): string {
  return alone === null ? `${unit}${APART}${replay}` : `${unit}${APART}${replay}${APART}${alone}`;
}

/** Whether it is one of a group that goes whole, be it a group of one: then its version takes the place of all that the unit had. */
export function isOfWholeGroup({ unit, group, replay }: ReadyEntry): boolean {
  return replay !== undefined && group === versionGroup(unit, replay, null);
}
