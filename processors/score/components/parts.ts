/** Components of a reward under construction. */
export interface Parts {
  /** By name, in the order in which they are summed. */
  readonly byName: Map<string, number | null>;
  /** What makes the reward invalid: `answer: missing`. */
  readonly invalid: string[];
}

/** A component with its value. What is not finite is null and invalid; 0 has no sign. */
export function addPart({ byName, invalid }: Parts, name: string, value: number): void {
  if (Number.isFinite(value)) {
    byName.set(name, value + 0);
    return;
  }
  byName.set(name, null);
  invalid.push(`${name}: not finite`);
}
