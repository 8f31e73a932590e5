/** Prompts that were rendered again from their messages. */
export interface RerenderCount {
  readonly prompts: number;
  /** Of them: compared, and the same. Holds: equal ≤ rendered ≤ prompts. */
  readonly rendered: number;
  readonly equal: number;
  /** Why the others were not, and how many of them. */
  readonly missing: Readonly<Record<string, number>>;
}
