import type { FinishMeaning, Taxonomy } from '../../processors/model/taxonomy.ts';

export interface TaxonomyList {
  readonly codes: ReadonlyArray<{
    readonly code: string;
    readonly category: string;
    /** By system: exact values and classes, then patterns in their order. */
    readonly values: ReadonlyArray<{ readonly system: string; readonly raws: readonly string[] }>;
  }>;
  readonly engines: ReadonlyArray<{
    readonly engine: string;
    readonly meaning: FinishMeaning | 'unclear';
    readonly words: readonly string[];
  }>;
}

/** All that a taxonomy maps, in its order; of one system, only the codes it uses. */
export function taxonomyList({ categories, systems, engines }: Taxonomy, only: string | null): TaxonomyList {
  const valuesOf = (code: string) =>
    [...systems].flatMap(([system, { exact, classes, patterns }]) => {
      const raws = [
        ...[...exact, ...classes].flatMap(([raw, of]) => (of === code ? [raw] : [])),
        ...patterns.flatMap(({ pattern, code: of }) => (of === code ? [pattern.text] : [])),
      ];
      return raws.length === 0 || (only !== null && only !== system) ? [] : [{ system, raws }];
    });
  const meanings = ['complete', 'cut', 'aborted', 'unclear'] as const;
  return {
    codes: [...categories]
      .map(([code, category]) => ({ code, category, values: valuesOf(code) }))
      .filter(({ values }) => only === null || values.length > 0),
    engines: [...engines]
      .filter(([engine]) => only === null || engine === only)
      .flatMap(([engine, said]) =>
        meanings.flatMap((meaning) => {
          const words = [...said].flatMap(([word, of]) => (of === meaning ? [word] : []));
          return words.length === 0 ? [] : [{ engine, meaning, words }];
        }),
      ),
  };
}
