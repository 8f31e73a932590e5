/** Where two sequences part: the first index at which they differ, or where one of them ends. null: they are the same. */
export function firstDifference(a: readonly number[], b: readonly number[]): number | null {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) if (a[index] !== b[index]) return index;
  return a.length === b.length ? null : shorter;
}
