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
}

interface Grant {
  readonly env: string | null;
  count: number;
  readonly expiresAtMs: number;
}

export function createGrants(): Grants {
  let grants: Grant[] = [];
  let seen: ReadonlyMap<string, number> | null = null;
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
    settle(begun, nowMs) {
      // What had begun before the first grant used none.
      for (const [env, count] of seen === null ? [] : begun) {
        const rest = giveBack(Math.max(0, count - (seen?.get(env) ?? 0)), (grant) => grant.env === env);
        giveBack(rest, (grant) => grant.env === null);
      }
      seen = new Map(begun);
      grants = grants.filter(({ count, expiresAtMs }) => count > 0 && expiresAtMs > nowMs);
    },
    add(env, count, expiresAtMs) {
      if (count > 0) grants.push({ env, count, expiresAtMs });
    },
    outstanding: (env) =>
      grants.reduce((sum, grant) => (env === undefined || grant.env === env ? sum + grant.count : sum), 0),
  };
}
