/** What a run may send over HTTP. */
export interface RunQuota {
  /** Events a second, over time; null: as many as it likes. */
  readonly eventsPerSecond: number | null;
  /** Memory that its bodies may take while they are read, of `limits.ingest_in_flight`; null: all of it. */
  readonly inFlightBytes: number | null;
}

/** The quota of each run: its own, else what is configured. Asked for each run of each body: answers from memory. */
export interface RunQuotas {
  of(run: string): RunQuota;
}

/** What is asked before a record is taken, from memory. */
export interface RunRules extends RunQuotas {
  /** RS_RUN_CLOSED where the run takes nothing more. */
  refuseClosed(run: string): void;
}

/** The same for every run: what is configured, where nobody says more of one. */
export function sameForAll(quota: RunQuota): RunRules {
  return { of: () => quota, refuseClosed: () => undefined };
}
