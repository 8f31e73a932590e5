import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CALL_SUFFIX } from '../journal/call-file.ts';
import { readCall } from '../journal/read-call.ts';

/** Files of calls that an earlier process, or thread, left behind: ended, or torn. */
export function leftOverCalls(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(CALL_SUFFIX))
    .sort()
    .map((name) => join(folder, name));
}

/** In the order in which they ended; one that was torn ended with what was heard of it last, so that what was asked again comes after it. */
export function inOrderOfEnd(paths: readonly string[]): string[] {
  const ends = paths.map((path) => ({ path, at: endOf(path) }));
  return ends.sort((a, b) => a.at - b.at).map(({ path }) => path);
}

function endOf(path: string): number {
  try {
    const call = readCall(path);
    // Taken at once: it is nothing, and goes.
    if (call === null) return 0;
    const { head, answer, pieces, end } = call;
    return head.startedAtUs + (end?.sinceUs ?? pieces.at(-1)?.sinceUs ?? answer?.sinceUs ?? 0);
  } catch {
    return 0;
  }
}
