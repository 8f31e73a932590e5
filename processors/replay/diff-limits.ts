/** Bounds of a tally, whatever the size of what it is of. */

/** Attempts that are named: about 300 bytes each. */
export const MOST_NAMED = 1_000;

/** Pairs of a matrix that are counted by themselves. Those that come first are; rewards that are continuous have more. */
export const MOST_PAIRS = 1_000;

/** Rollouts that a cell names. */
export const CELL_EXAMPLES = 3;

/** Groups that are named. */
export const GROUP_EXAMPLES = 10;
