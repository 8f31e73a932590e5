import type { Logger } from 'pino';

/** What goes wrong without being in anybody's way: said in the log now and then, and the last of it in the status. */
export interface Problems {
  say(kind: string, message: string): void;
  readonly last: string | null;
}

const QUIET_MS = 30_000;

/** `now`: a monotonic clock, in ms. */
export function createProblems(log: Logger, now: () => number): Problems {
  const said = new Map<string, { atMs: number; unsaid: number }>();
  let last: string | null = null;
  return {
    say(kind, message) {
      last = message;
      const before = said.get(kind);
      if (before !== undefined && now() - before.atMs < QUIET_MS) {
        before.unsaid += 1;
        return;
      }
      log.warn(before === undefined ? {} : { unsaid: before.unsaid }, message);
      said.set(kind, { atMs: now(), unsaid: 0 });
    },
    get last() {
      return last;
    },
  };
}
