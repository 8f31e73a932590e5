/** Something that must hold does not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function check(truth: boolean, what: string): void {
  if (!truth) throw new Violation(what);
}
