/** Numbers the attempts of rollouts whose source does not, by the lines of one file. Keeps an id and a hash a line, no content. */
export interface AttemptNumbers {
  /** Of lines with one id an equal one is a repeat; a different one after an aborted one is the next attempt. */
  of(rolloutId: string, recordSha256: string, aborted: boolean): number;
}

interface Seen {
  /** Attempt of each line, by the first 64 bits of its hash. */
  readonly lines: Map<string, number>;
  last: number;
  lastAborted: boolean;
}

export function createAttemptNumbers(): AttemptNumbers {
  /** Most rollouts have one line: `hash,aborted` until a second one comes. */
  const single = new Map<string, string>();
  const several = new Map<string, Seen>();

  function promote(rolloutId: string, earlier: string): Seen {
    const seen = { lines: new Map([[earlier.slice(0, 16), 0]]), last: 0, lastAborted: earlier.endsWith('!') };
    single.delete(rolloutId);
    several.set(rolloutId, seen);
    return seen;
  }

  return {
    of(rolloutId, recordSha256, aborted) {
      const hash = recordSha256.slice(0, 16);
      const first = single.get(rolloutId);
      const held = several.get(rolloutId);
      if (first === undefined && held === undefined) {
        single.set(rolloutId, aborted ? `${hash}!` : hash);
        return 0;
      }
      if (first?.startsWith(hash)) return 0;
      const seen = held ?? promote(rolloutId, first ?? '');
      const known = seen.lines.get(hash);
      if (known !== undefined) return known;
      // A different line after one that was not aborted is no new attempt: it contradicts the one there is.
      if (seen.lastAborted) seen.last++;
      seen.lines.set(hash, seen.last);
      seen.lastAborted = aborted;
      return seen.last;
    },
  };
}

/** Counts equal lines: a rollout without an id is its line, and `.k` where k equal ones came before. */
export function createLineIds(): (recordSha256: string) => string {
  const equal = new Map<string, number>();
  return (recordSha256) => {
    const key = recordSha256.slice(0, 32);
    const before = equal.get(key) ?? 0;
    equal.set(key, before + 1);
    return `${recordSha256}.${before}`;
  };
}
