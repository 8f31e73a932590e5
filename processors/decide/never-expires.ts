import type { DocumentProblem } from '../model/taxonomy.ts';

/** A policy that says what expires when it is taken, and nowhere by which age: one of the two is not what was meant. */
export function neverExpires(top: Readonly<Record<string, unknown>>): DocumentProblem[] {
  const scopes: readonly unknown[] = Array.isArray(top.scopes) ? top.scopes : [];
  const sections = [
    { path: 'staleness', section: top.staleness },
    ...scopes.map((scope, i) => ({ path: `scopes[${i}].staleness`, section: keyOf(scope, 'staleness') })),
  ];
  const isLimited = sections.some(
    ({ section }) => (keyOf(section, 'max_lag') ?? null) !== null || (keyOf(section, 'unknown') ?? 'keep') !== 'keep',
  );
  if (isLimited) return [];
  return sections.flatMap(({ path, section }) => {
    const got = keyOf(section, 'at_take');
    return got === 'member' || got === 'group'
      ? [{ path: `${path}.at_take`, expected: 'keep, or a max_lag or unknown by which something is too old', got }]
      : [];
  });
}

function keyOf(value: unknown, key: string): unknown {
  return value instanceof Object ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
}
