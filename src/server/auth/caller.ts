/** What a token may do (route-access.ts). */
export const ROLES = ['producer', 'trainer', 'reader', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Who sends a request. */
export interface Caller {
  /** Of the token; `http.token` of that key, and `anybody` where no token is needed. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** null: all, those that do not exist yet included. */
  readonly runs: ReadonlySet<string> | null;
}

/** Nobody needs a token. */
export const ANYBODY: Caller = { id: 'anybody', name: 'anybody', role: 'operator', runs: null };

/** Whoever has `http.token`. */
export const CONFIGURED: Caller = { id: 'http.token', name: 'http.token', role: 'operator', runs: null };

/** Whether the run is one of the caller's; whether there is such a run does not matter. */
export function mayUse({ runs }: Pick<Caller, 'runs'>, run: string): boolean {
  return runs === null || runs.has(run);
}
