/** Records of one run in one body, by what became of them. */
export interface RunCounts {
  accepted: number;
  /** In dead-letter. */
  refused: number;
  /** Which quota of it ended the body; '': none. */
  limited: string;
}

/** By run, what became of a body. Runs that the sender may not write to have no name here. */
export interface RunTally {
  of(run: string): RunCounts;
  /** A record that was not for the sender to write. */
  forbid(): void;
  /** A quota ended the body: `run`, and the quota as `reason`. */
  limit(facts: Readonly<Record<string, string | number>>): void;
  readonly runs: ReadonlyMap<string, RunCounts>;
  forbidden(): number;
}

export function createRunTally(): RunTally {
  const runs = new Map<string, RunCounts>();
  let forbidden = 0;
  const of = (run: string): RunCounts => {
    const found = runs.get(run);
    if (found !== undefined) return found;
    const made: RunCounts = { accepted: 0, refused: 0, limited: '' };
    runs.set(run, made);
    return made;
  };
  return {
    runs,
    of,
    limit({ run, reason }) {
      of(String(run)).limited = String(reason);
    },
    forbid() {
      forbidden += 1;
    },
    forbidden: () => forbidden,
  };
}
