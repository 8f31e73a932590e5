import type { ReadyEntry } from '../model/delivery.ts';
import { membersOf, type Unit } from './ready-order.ts';

/**
 * Entries of units of which there is more than what was decided live: A RUN WITHOUT REPLAYS HAS NOTHING HERE, and an entry of it costs
 * nothing. With the first one all its units are looked up once, since the older version of any may be asked for.
 */
export class UnitVersions {
  /** By unit, in the order of the topic. */
  readonly #several = new Map<string, ReadyEntry[]>();
  /** Entries of all other units; null: no replay has emitted any. */
  #others: Map<string, Unit> | null = null;

  get isEmpty(): boolean {
    return this.#several.size === 0;
  }

  /** `all`: entries of the run, this one among them or not. */
  add(entry: ReadyEntry, all: readonly ReadyEntry[]): void {
    if (entry.replay === undefined && this.#others === null) return;
    if (this.#others === null) {
      this.#others = new Map();
      for (const other of all) if (other !== entry) this.#addOther(this.#others, other);
    }
    const known = this.#several.get(entry.unit);
    if (known !== undefined) insert(known, entry);
    else if (entry.replay === undefined) this.#addOther(this.#others, entry);
    else {
      const before = this.#others.get(entry.unit);
      this.#others.delete(entry.unit);
      const versions = before === undefined ? [] : [...membersOf(before)];
      insert(versions, entry);
      this.#several.set(entry.unit, versions);
    }
  }

  /** All entries of a unit that has several versions; undefined: it has one. */
  of(unit: string): readonly ReadyEntry[] | undefined {
    return this.#several.size === 0 ? undefined : this.#several.get(unit);
  }

  /** Each unit that has several. */
  units(): Iterable<readonly ReadyEntry[]> {
    return this.#several.values();
  }

  remove(gone: readonly ReadyEntry[]): void {
    if (this.#others === null) return;
    const offsets = new Set(gone.map(({ offset }) => offset));
    for (const unit of new Set(gone.map((entry) => entry.unit))) {
      const left = [...(this.#several.get(unit) ?? [])].filter(({ offset }) => !offsets.has(offset));
      if (left.length > 0) this.#several.set(unit, left);
      else this.#several.delete(unit);
      const other = this.#others.get(unit);
      if (other === undefined) continue;
      const others = membersOf(other).filter(({ offset }) => !offsets.has(offset));
      if (others.length > 0) this.#others.set(unit, others);
      else this.#others.delete(unit);
    }
    if (this.#several.size === 0) this.#others = null;
  }

  #addOther(others: Map<string, Unit>, entry: ReadyEntry): void {
    const known = others.get(entry.unit);
    others.set(entry.unit, known === undefined ? entry : [...membersOf(known), entry]);
  }
}

function insert(entries: ReadyEntry[], entry: ReadyEntry): void {
  const at = entries.findIndex(({ offset }) => offset > entry.offset);
  if (at === -1) entries.push(entry);
  else entries.splice(at, 0, entry);
}
