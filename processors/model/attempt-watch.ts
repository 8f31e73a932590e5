import type { NumbersWatch } from './numbers-watch.ts';
import type { TokensWatch } from './tokens-watch.ts';
import type { ToolsWatch } from './tools-watch.ts';
import type { WallWatch } from './wall-watch.ts';

/** What the audits note of events while they are folded: the events themselves do not stay. Each is null until it has something to note. */
export interface AttemptWatch {
  tokens: TokensWatch | null;
  tools: ToolsWatch | null;
  numbers: NumbersWatch | null;
  wall: WallWatch | null;
}

/** Notes of an attempt, from when the first event has one to make. */
export function watchOf(attempt: { watch: AttemptWatch | null }): AttemptWatch {
  attempt.watch ??= { tokens: null, tools: null, numbers: null, wall: null };
  return attempt.watch;
}
