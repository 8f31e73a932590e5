import type { Attempt } from '../model/attempt.ts';
import type { Audit, Found } from '../model/audit-summary.ts';
import { addFinding, answerOfList, createFindingList } from '../model/finding-list.ts';
import type { WallOverlap } from '../model/wall-breakdown.ts';
import { wallOf } from '../model/wall-parts.ts';
import { MOST_SPANS, WALL_PARTS, type WallWatch } from '../model/wall-watch.ts';

/** Clocks that are read to the millisecond. */
const TOLERATED_US = 1000;
/** These follow the end. */
const AFTER_END = new Set<string>(['verify', 'cleanup', 'trainer_wait', 'other']);

/** Whether the wall clock of a rollout can be told in parts, and whether its times can be. */
export const auditWall: Audit = (attempt) => {
  const wall = attempt.watch?.wall ?? null;
  const { startedAtUs, endedAtUs } = attempt;
  const findings = createFindingList();
  const skews: string[] = [];
  if (wall !== null && wall.skews > 0)
    skews.push(`${wall.skews} of its steps end before they begin, the first: ${wall.firstSkew}`);
  if (startedAtUs !== null && endedAtUs !== null) {
    if (endedAtUs < startedAtUs) skews.push(`it ends ${(startedAtUs - endedAtUs) / 1000} ms before it begins`);
    else if (wall !== null) skews.push(...outsideOf(wall, startedAtUs, endedAtUs));
  }
  // One a class: a row of `audits` has no more of a place to tell two apart by.
  if (skews.length > 0) addFinding(findings, warn('clock_skew', skews.join('; ')));
  const overlaps = wall === null || wall.isParallel ? [] : (wallOf(attempt)?.overlaps ?? []);
  const long = overlaps.filter(({ us }) => us > TOLERATED_US);
  if (long.length > 0) addFinding(findings, warn('overlap', long.map(inWords).join('; ')));
  return answerOfList(findings, missingOf(attempt, wall));
};

function inWords({ first, second, us }: WallOverlap): string {
  return `${first} and ${second} at once for ${us / 1000} ms, counted as ${first}`;
}

function missingOf({ startedAtUs, endedAtUs }: Attempt, wall: WallWatch | null): string | null {
  if (startedAtUs === null || endedAtUs === null) return 'no start or end time';
  if (endedAtUs < startedAtUs) return 'its end is before its start';
  if (wall === null) return 'no call, tool result or phase';
  if (wall.unkept > 0) return `more than ${MOST_SPANS} intervals`;
  if (wall.untimed === 0) return null;
  if (wall.untimedDurations > 0) return 'durations without times: parallel work cannot be told from serial';
  return `${wall.untimed} of its calls, tool results and phases have no time`;
}

/** The clock of another host is off for all that it writes. */
function outsideOf({ spans }: WallWatch, startUs: number, endUs: number): readonly string[] {
  let outside = 0;
  let mostUs = 0;
  for (let i = 0; i + 2 < spans.length; i += 3) {
    const [place = -1, begin = 0, end = 0] = [spans[i], spans[i + 1], spans[i + 2]];
    const isLater = AFTER_END.has(WALL_PARTS[place] ?? '');
    const us = Math.max(startUs - begin, isLater ? 0 : end - endUs);
    if (us <= TOLERATED_US) continue;
    outside += 1;
    mostUs = Math.max(mostUs, us);
  }
  return outside === 0 ? [] : [`${outside} of its steps lie outside its start and end, by up to ${mostUs / 1000} ms`];
}

function warn(name: string, detail: string): Found {
  return { class: name, severity: 'warn', turn: null, index: null, detail };
}
