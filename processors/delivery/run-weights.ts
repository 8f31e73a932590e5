import type { ReadyEntry, RunHead } from '../model/delivery.ts';
import type { Announced } from '../model/delivery-effects.ts';

/** Weights of a run, over all lineages: which of them are no more, and how old what they sampled is. */
export class RunWeights {
  lineage = 0;
  cuts: ReadonlyMap<number, number> = new Map();
  inherited: RunHead['inherited'] = new Map();

  constructor(
    readonly name: string,
    readonly announced: () => ReadonlyMap<string, Announced>,
  ) {}

  /**
   * What a lineage did holds up to the step where a later one began. Acks, checkpoints and versions all carry (lineage, step), so
   * a rewind is one record and rewrites none. Record by record: 1 a rewind takes back 40 steps of acks, one after the other; 2 it
   * dies at the 20th; 3 nobody can tell how far it came.
   */
  survives(lineage: number, step: number): boolean {
    for (const [later, cut] of this.cuts) if (later > lineage && step > cut) return false;
    return true;
  }

  version(name: string): Announced | null {
    const version = this.announced().get(name) ?? this.inherited.get(name);
    return version !== undefined && this.survives(version.lineage, version.step) ? version : null;
  }

  /** The newest weights that survive. */
  newest(): { readonly name: string; readonly ordinal: number } | null {
    let newest: { name: string; ordinal: number } | null = null;
    for (const versions of [this.inherited, this.announced()])
      for (const [name, { lineage, step, ordinal }] of versions)
        if (ordinal >= (newest?.ordinal ?? 0) && this.survives(lineage, step)) newest = { name, ordinal };
    return newest;
  }

  /**
   * ANY VERSION THAT IS NO MORE CONDEMNS AN ENTRY, also one that becomes ready days later. 1 v7 samples; 2 rewind to 5; 3 the new
   * lineage calls its own weights v7: the old rollout arrives and is fresh. So a name is used once in a run, over all lineages.
   */
  isDiscarded(entry: ReadyEntry): boolean {
    const announced = this.announced();
    return entry.versions.some((name) => {
      const version = announced.get(name);
      return version !== undefined && !this.survives(version.lineage, version.step);
    });
  }

  /** Places of the weights that sampled it: the oldest that is known, and whether all are. */
  sampledBy(entry: ReadyEntry): { readonly oldest: number; readonly isKnown: boolean } {
    let oldest = Number.POSITIVE_INFINITY;
    let isKnown = true;
    for (const name of entry.versions) {
      const version = this.version(name);
      if (version === null) isKnown = false;
      else oldest = Math.min(oldest, version.ordinal);
    }
    return { oldest, isKnown };
  }

  lag(entry: ReadyEntry): number | null {
    const { oldest, isKnown } = this.sampledBy(entry);
    return isKnown && oldest < Number.POSITIVE_INFINITY ? (this.newest()?.ordinal ?? 0) - oldest : null;
  }
}
