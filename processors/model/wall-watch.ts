/** Intervals of the phases of an attempt. */
export interface WallWatch {
  /** Flat, three numbers an interval: phase, begin and end in µs. */
  readonly spans: number[];
}
