import type { Announced } from '../../processors/model/delivery-effects.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';

/** Every version that a run ever announced in a lineage of delivery. */
export type NumberedVersions = (run: string) => ReadonlyMap<string, Announced>;

/** Announcements by name, with their lineage as a number. Each is looked at once: a run has thousands, and is asked often. */
export function createNumberedVersions(versions: Pick<AnnouncedVersions, 'named'>): NumberedVersions {
  const runs = new Map<string, { seen: number; readonly byName: Map<string, Announced> }>();
  const nothing: ReadonlyMap<string, Announced> = new Map();

  return function numberedVersions(run) {
    const named = versions.named(run);
    if (named.size === 0) return nothing;
    const known = runs.get(run) ?? { seen: 0, byName: new Map<string, Announced>() };
    runs.set(run, known);
    if (known.seen === named.size) return known.byName;
    let index = 0;
    for (const [name, { lineage, step, ordinal }] of named) {
      index += 1;
      if (index <= known.seen) continue;
      const number = lineageNumber(lineage);
      if (number !== null) known.byName.set(name, { lineage: number, step, ordinal });
    }
    known.seen = named.size;
    return known.byName;
  };
}

/** null: a name that some trainer gave it, which delivery does not know. */
export function lineageNumber(lineage: string): number | null {
  if (lineage === '') return 0;
  return /^\d{1,15}$/.test(lineage) ? Number(lineage) : null;
}
