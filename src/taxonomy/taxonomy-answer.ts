import type { FinishMeaning, Taxonomy } from '../../processors/model/taxonomy.ts';
import { lookUp } from '../../processors/taxonomy/look-up.ts';
import { nearest } from '../config/nearest.ts';

/** What the taxonomy says of a raw value. */
export interface TaxonomyAnswer {
  readonly raw: string;
  /** Of each system that uses it; of a composite, one for each part. */
  readonly mappings: readonly FoundMapping[];
  /** Of each engine that says it of one call. */
  readonly engines: readonly FoundWord[];
  /** Values that look like it, the closest of each system. */
  readonly near: ReadonlyArray<{ readonly system: string; readonly raw: string }>;
}

export interface FoundMapping {
  /** System that was asked about. */
  readonly system: string;
  /** The value, or the part of a composite. */
  readonly raw: string;
  readonly code: string;
  readonly category: string;
  readonly by: 'exact' | 'class' | 'pattern' | 'none';
  /** The entry of the taxonomy, and the path of its list; empty: a part that nobody knows. */
  readonly entry: string;
  readonly path: string;
  /** Its reasons say whose time-out or memory it was. */
  readonly attributed: 'timeout' | 'memory' | null;
}

export interface FoundWord {
  readonly engine: string;
  readonly meaning: FinishMeaning | 'unclear';
  readonly path: string;
}

const LISTS = { exact: 'raw', class: 'classes', pattern: 'patterns' } as const;

/** The answer for one system, or for all that know the value. */
export function taxonomyAnswer(taxonomy: Taxonomy, raw: string, only: string | null): TaxonomyAnswer {
  const names = systemsOf(taxonomy).filter((name) => only === null || name === only);
  const mappings = names.flatMap((name) => mappingsOf(taxonomy, name, raw, only === null));
  const engines = names.flatMap((engine): FoundWord[] => {
    const meaning = taxonomy.engines.get(engine)?.get(raw);
    return meaning === undefined ? [] : [{ engine, meaning, path: `engines.${engine}.${meaning}` }];
  });
  const isKnown = mappings.length > 0 || engines.length > 0;
  return { raw, mappings, engines, near: isKnown ? [] : names.flatMap((name) => nearOf(taxonomy, name, raw)) };
}

/** Every system that the taxonomy names, engines too. */
export function systemsOf({ systems, engines }: Taxonomy): string[] {
  return [...new Set([...systems.keys(), ...engines.keys()])].sort();
}

/** Asked about all systems, an exception that any may raise is said once: of the system it stands under. */
function mappingsOf(taxonomy: Taxonomy, system: string, raw: string, ownOnly: boolean): FoundMapping[] {
  return lookUp(taxonomy.systems, system, raw)
    .filter((found) => !ownOnly || found.system === system)
    .map(({ raw: part, code, by, entry, system: from }) => ({
      system,
      raw: part,
      code,
      category: taxonomy.categories.get(code) ?? 'unknown',
      by,
      entry,
      path: by === 'none' ? '' : `codes.${code}.${LISTS[by]}.${from}`,
      attributed: taxonomy.attributed.get(code) ?? null,
    }));
}

function nearOf({ systems, engines }: Taxonomy, system: string, raw: string): TaxonomyAnswer['near'] {
  const map = systems.get(system);
  const known = [...(map?.exact.keys() ?? []), ...(map?.classes.keys() ?? []), ...(engines.get(system)?.keys() ?? [])];
  const near = nearest(
    raw,
    known.filter((value) => value !== ''),
  );
  return near === null ? [] : [{ system, raw: near }];
}
