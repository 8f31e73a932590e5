/** Runs that were deleted, as who grants leases knows them. */
export interface GoneRuns {
  /** Nothing of it is granted, nor written down, any more: it is deleted, or about to be. */
  isGone(run: string): boolean;
  /** Names that were deleted, with the offset of ready below which all of theirs is forgotten. */
  below(): Iterable<readonly [run: string, below: number]>;
  /** Called when some run was closed, deleted or opened again. */
  onChange(heard: () => void): void;
}

export const NO_GONE_RUNS: GoneRuns = { isGone: () => false, below: () => [], onChange: () => undefined };
