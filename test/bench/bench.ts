import type { Spread } from './spread.ts';

/** One line of the table. */
export interface Figure {
  readonly name: string;
  readonly value: Spread;
  readonly unit: string;
  /** The same work in its barest form, measured in the same rounds. */
  readonly yardstick?: { readonly name: string; readonly value: Spread };
  /** Value over yardstick, or the other way round where smaller is better. */
  readonly ratio?: number;
  readonly target?: { readonly text: string; readonly met: boolean };
  /** Where the time goes, and other facts. */
  readonly notes?: readonly string[];
}

/** `smoke` only shows that it runs. */
export type Size = 'full' | 'smoke';

export interface Bench {
  readonly name: string;
  run(size: Size): Promise<Figure[]>;
}
