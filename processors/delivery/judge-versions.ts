import type { ReadyEntry, ReadyState } from '../model/delivery.ts';
import { isOfWholeGroup } from './version-group.ts';

export const ALREADY_TRAINED = 'already_trained';
const replacedBy = (replay: string | null): string => `replaced by replay ${replay}`;

/** What the books say of entries, versions aside. */
export interface EntryFacts {
  state(entry: ReadyEntry): ReadyState;
  /** It is trained, and no rewind brings it back. */
  isTrainedForGood(entry: ReadyEntry): boolean;
  /** Of a replay: what was final before it came is not known yet. */
  isUnseen(entry: ReadyEntry): boolean;
  /** … and another version of it was trained for good. */
  isTrainedBefore(entry: ReadyEntry): boolean;
  /** Rollouts of groups go alone. */
  readonly isByRollout: boolean;
}

export interface Judged {
  readonly state: ReadyState;
  /** Queued, and not to be taken now. */
  readonly isBlocked: boolean;
  /** All of its version has come. */
  readonly isWhole: boolean;
  /** Why it is replaced; else ''. */
  readonly reason: string;
}

interface Version {
  /** null: as it was decided live. */
  readonly replay: string | null;
  /** Offset of its first member; of what was decided live: before all. */
  readonly first: number;
  /** The one rollout that it is of; null: the whole group. */
  readonly alone: string | null;
  readonly isAgain: boolean;
  /** Members that have not come. */
  missing: number;
}

/**
 * What becomes of each entry of a unit that was scored again. THE NEWEST WHOLE VERSION IS THE ONE THAT IS TAKEN. 1 A trajectory waits;
 * 2 its verifier was wrong, a replay emits it with another reward; 3 the old one comes first in ready order, and is trained on.
 * NOT BEFORE IT IS WHOLE. 1 Two of four members have come, the old version is replaced; 2 who emits them crashes: nothing of the
 * group is trained.
 * ONCE IN A HISTORY. 1 The old version is leased, the new one granted to another; 2 both are acked: the same tokens, trained twice.
 * So the new one waits while the old one is leased, or trained in a step that a rewind can take back; it is replaced itself when that
 * is final. What comes back of an older one is not queued again.
 */
export function judgeVersions(entries: readonly ReadyEntry[], facts: EntryFacts): Map<number, Judged> {
  const versions = versionsOf(entries);
  const firstOf = (entry: ReadyEntry): number => versions.get(nameOf(entry))?.first ?? entry.offset;
  const whole = [...versions.values()].filter(({ replay, missing }) => replay !== null && missing <= 0);
  whole.sort((a, b) => b.first - a.first);
  const states = new Map(entries.map((entry) => [entry.offset, facts.state(entry)]));
  const held = entries.filter(({ offset }) => ['leased', 'trained'].includes(states.get(offset) ?? ''));

  const judge = (entry: ReadyEntry, own: Version): Omit<Judged, 'isWhole'> => {
    const state = states.get(entry.offset) ?? 'queued';
    if (state !== 'queued') return { state, isBlocked: false, reason: '' };
    const newer = whole.find(({ first, alone }) => first > own.first && (alone ?? entry.rollout) === entry.rollout);
    if (newer !== undefined) return replaced(replacedBy(newer.replay));
    if (own.replay === null) return { state, isBlocked: false, reason: '' };
    const inItsPlace = held.filter((other) => {
      const isOfAll = own.alone === null && !facts.isByRollout;
      return !own.isAgain && firstOf(other) < own.first && (isOfAll || other.rollout === entry.rollout);
    });
    if (facts.isTrainedBefore(entry) || inItsPlace.some((other) => facts.isTrainedForGood(other)))
      return replaced(ALREADY_TRAINED);
    return { state, isBlocked: own.missing > 0 || inItsPlace.length > 0 || facts.isUnseen(entry), reason: '' };
  };

  const judged = new Map<number, Judged>();
  for (const entry of entries) {
    const own = versions.get(nameOf(entry));
    if (own === undefined) continue;
    judged.set(entry.offset, { ...judge(entry, own), isWhole: own.replay === null || own.missing <= 0 });
  }
  return judged;
}

const replaced = (reason: string) => ({ state: 'replaced' as const, isBlocked: false, reason });
const nameOf = ({ replay, group }: ReadyEntry): string => (replay === undefined ? '' : group);

function versionsOf(entries: readonly ReadyEntry[]): Map<string, Version> {
  const versions = new Map<string, Version>();
  for (const entry of entries) {
    const known = versions.get(nameOf(entry));
    if (known !== undefined) {
      known.missing -= 1;
      continue;
    }
    const { replay = null, offset, size, rollout } = entry;
    versions.set(nameOf(entry), {
      replay,
      first: replay === null ? -1 : offset,
      alone: replay === null || isOfWholeGroup(entry) ? null : rollout,
      isAgain: entry.again === true,
      missing: size - 1,
    });
  }
  return versions;
}
