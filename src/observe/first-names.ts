/** What is not told by its name. */
export const OTHER = 'other';

/** A label that anybody may write: the first `most` names stay as they are, all others are one. */
export function createFirstNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return function firstName(name) {
    if (known.has(name)) return name;
    if (known.size >= most) return OTHER;
    known.add(name);
    return name;
  };
}
