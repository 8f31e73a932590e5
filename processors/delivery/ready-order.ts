import type { DeliveryUnit, ReadyEntry } from '../model/delivery.ts';
import { Heap } from './heap.ts';

/** What is delivered together, in the order of offsets; of one entry: the entry, which costs no array. */
export type Unit = ReadyEntry | readonly ReadyEntry[];

export const membersOf = (unit: Unit): readonly ReadyEntry[] => ('offset' in unit ? [unit] : unit);
const placeOf = (unit: Unit): number => ('offset' in unit ? unit.offset : (unit.at(-1)?.offset ?? -1));

/**
 * Entries of a run in the order of the topic, and their units in ready order: A GROUP'S PLACE IS ITS LAST MEMBER'S OFFSET.
 * By the first member: 1 A has @1, B is whole with @2 and @3 and goes; 2 A's last member comes @9; 3 a rewind: A goes before B.
 *
 * A candidate is a unit that may have something to lease: all from a place in that order on, which nobody has looked at, and
 * before it those that came back. So a lease costs what it grants, however many are queued.
 */
export class ReadyOrder {
  /** By offset. */
  entries: ReadyEntry[] = [];
  unit: DeliveryUnit = 'group';
  /** Whole units. Holds: sorted by place. */
  #units: Unit[] = [];
  /** Members of groups that have several, as far as they have come; empty where rollouts go alone. */
  readonly #groups = new Map<string, ReadyEntry[]>();
  #next = 0;
  readonly #returned = new Heap<Unit>((a, b) => placeOf(a) < placeOf(b));
  readonly #isReturned = new Set<Unit>();
  /** What came out of order, or was torn, is sorted in when it is asked for. */
  #isStale = false;

  /** At most so many units have something to lease. */
  get candidates(): number {
    return this.units().length - this.#next + this.#returned.size;
  }

  /** Whether its candidates have so many tokens. */
  hold(tokens: number): boolean {
    let left = tokens;
    for (const units of [this.units().slice(this.#next), this.#isReturned])
      for (const unit of units)
        for (const entry of membersOf(unit)) {
          left -= entry.tokens;
          if (left <= 0) return true;
        }
    return false;
  }

  units(): readonly Unit[] {
    if (this.#isStale) this.#rebuild();
    return this.#units;
  }

  /** From the start again, in these units. */
  restart(unit: DeliveryUnit): void {
    if (unit !== this.unit) this.#isStale = true;
    this.unit = unit;
    this.#next = 0;
    this.#returned.clear();
    this.#isReturned.clear();
  }

  /** false: it is there. */
  add(entry: ReadyEntry): boolean {
    const last = this.entries.at(-1);
    if (last === undefined || last.offset < entry.offset) {
      this.entries.push(entry);
      if (!this.#isStale) this.#join(entry);
      return true;
    }
    const at = this.#placeFrom(entry.offset);
    if (this.entries[at]?.offset === entry.offset) return false;
    this.entries.splice(at, 0, entry);
    this.#isStale = true;
    return true;
  }

  get(offset: number): ReadyEntry | undefined {
    const entry = this.entries[this.#placeFrom(offset)];
    return entry?.offset === offset ? entry : undefined;
  }

  /** Entries of [from, to). */
  between(from: number, to: number): ReadyEntry[] {
    return this.entries.slice(this.#placeFrom(from), this.#placeFrom(to));
  }

  /** The unit that the entry is of; null: it is not whole. */
  unitOf(entry: ReadyEntry): Unit | null {
    if (this.#isStale) this.#rebuild();
    const members = this.#groups.get(entry.group);
    if (members === undefined || !members.includes(entry)) return entry;
    return members.length === entry.size ? members : null;
  }

  /** The first candidate, which is none any more. */
  take(): Unit | null {
    const front = this.units()[this.#next];
    const back = this.#returned.peek();
    if (back !== undefined && (front === undefined || placeOf(back) < placeOf(front))) {
      this.#returned.pop();
      this.#isReturned.delete(back);
      return back;
    }
    if (front === undefined) return null;
    this.#next += 1;
    return front;
  }

  /** A candidate again. */
  giveBack(unit: Unit): void {
    const front = this.units()[this.#next];
    if ((front !== undefined && placeOf(unit) >= placeOf(front)) || this.#isReturned.has(unit)) return;
    this.#returned.push(unit);
    this.#isReturned.add(unit);
  }

  /** Takes entries out, none of which lies at `end` or behind; gives them. */
  remove(isGone: (entry: ReadyEntry) => boolean, end: number): ReadyEntry[] {
    const at = this.#placeFrom(end);
    const front = this.entries.slice(0, at);
    const gone = front.filter(isGone);
    if (gone.length === 0) return gone;
    this.entries = front.filter((entry) => !isGone(entry)).concat(this.entries.slice(at));
    for (const { group, size } of gone) {
      const members = size === 1 ? undefined : this.#groups.get(group);
      if (members === undefined) continue;
      if (members.every(isGone)) this.#groups.delete(group);
      else this.#isStale = true;
    }
    const isThere = (unit: Unit): boolean => placeOf(unit) >= end || !membersOf(unit).every(isGone);
    const behind = this.#units.findIndex((unit) => placeOf(unit) >= end);
    const last = behind === -1 ? this.#units.length : behind;
    const kept = this.#units.slice(0, last).filter(isThere);
    const before = this.#units.slice(0, Math.min(last, this.#next)).filter(isThere).length;
    this.#next = before + Math.max(0, this.#next - last);
    this.#units = kept.concat(this.#units.slice(last));
    const back = [...this.#isReturned].filter(isThere);
    this.#returned.clear();
    this.#isReturned.clear();
    for (const unit of back) this.giveBack(unit);
    return gone;
  }

  /** Whether something has come back before it, or of it. */
  isOvertaken(unit: Unit): boolean {
    const back = this.#returned.peek();
    return back !== undefined && placeOf(back) <= placeOf(unit);
  }

  /** Whether a take will come to it. */
  isCandidate(unit: Unit): boolean {
    const front = this.units()[this.#next];
    return this.#isReturned.has(unit) || (front !== undefined && placeOf(unit) >= placeOf(front));
  }

  #placeFrom(offset: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.offset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #join(entry: ReadyEntry): void {
    if (this.unit === 'rollout' || entry.size === 1) {
      this.#units.push(entry);
      return;
    }
    const members = this.#groups.get(entry.group) ?? [];
    this.#groups.set(entry.group, members);
    // One too many goes alone: it would make a group that was whole never whole.
    if (members.length >= entry.size) this.#units.push(entry);
    else if (members.push(entry) === entry.size) this.#units.push(members);
  }

  #rebuild(): void {
    this.#isStale = false;
    this.#units = [];
    this.#groups.clear();
    for (const entry of this.entries) this.#join(entry);
    this.restart(this.unit);
  }
}
