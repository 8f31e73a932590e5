/** Grants of one run that are not used yet. */
export interface Grants {
  /**
   * Takes in how many rollouts have begun by environment, since ever: each of them gives back one that was granted, the oldest of
   * its environment first, then of none. What has expired is given back too.
   */
  settle(begun: ReadonlyMap<string, number>, nowMs: number): void;
  add(env: string | null, count: number, expiresAtMs: number): void;
  /** All, or those of an environment. */
  outstanding(env?: string): number;
  /** As another process takes them over, whose clock has another zero: with the time that each has left. */
  kept(nowMs: number): KeptGrants;
}

export interface KeptGrants {
  readonly grants: ReadonlyArray<{ readonly env: string | null; readonly count: number; readonly leftMs: number }>;
  /** What had begun when they were settled last. */
  readonly begun: Readonly<Record<string, number>>;
}

interface Grant {
  readonly env: string | null;
  count: number;
  readonly expiresAtMs: number;
}

/** Those that were kept begin their time anew: for how long nobody served is not known to a clock that does not jump. */
export function createGrants(before: KeptGrants | null = null, nowMs = 0): Grants {
  let grants: Grant[] = (before?.grants ?? []).map(({ env, count, leftMs }) => ({
    env,
    count,
    expiresAtMs: nowMs + leftMs,
  }));
  let seen: ReadonlyMap<string, number> | null = before === null ? null : new Map(Object.entries(before.begun));
  const giveBack = (count: number, of: (grant: Grant) => boolean): number => {
    let rest = count;
    for (const grant of grants.filter(of)) {
      const given = Math.min(grant.count, rest);
      grant.count -= given;
      rest -= given;
    }
    return rest;
  };
  return {
    settle(begun, atMs) {
      // What had begun before the first grant used none.
      for (const [env, count] of seen === null ? [] : begun) {
        const rest = giveBack(Math.max(0, count - (seen?.get(env) ?? 0)), (grant) => grant.env === env);
        giveBack(rest, (grant) => grant.env === null);
      }
      seen = new Map(begun);
      grants = grants.filter(({ count, expiresAtMs }) => count > 0 && expiresAtMs > atMs);
    },
    add(env, count, expiresAtMs) {
      if (count > 0) grants.push({ env, count, expiresAtMs });
    },
    outstanding: (env) =>
      grants.reduce((sum, grant) => (env === undefined || grant.env === env ? sum + grant.count : sum), 0),
    kept: (atMs) => ({
      grants: grants.map(({ env, count, expiresAtMs }) => ({ env, count, leftMs: expiresAtMs - atMs })),
      begun: Object.fromEntries(seen ?? []),
    }),
  };
}
