import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordDisk } from './record-disk.ts';

/**
 * What one call (or one end) changes, written down before any of it is done. A restart does all of it again: lines that were spooled
 * before arrive twice under the same event_id, which changes nothing.
 *
 * 1 intent, 2 the attempt's file, 3 spool, 4 files removed, 5 intent emptied. Killed within 1: it is torn, and nothing was begun.
 * Within 2 to 4: it is done again; the attempt's file is cut to where it began. Within 5: done again, or torn and done.
 */
export interface Intent {
  /** Path of the file that grows; null: none does. */
  readonly file: string | null;
  /** How long it was. */
  readonly at: number;
  readonly entry: string;
  /** Of the spool. */
  readonly lines: string;
  /** Paths of what is done with. */
  readonly remove: readonly string[];
}

const NAME = 'intent.json';

export interface Intents {
  /** Throws where the disk refuses: then it is still to be done, and nothing else may be. */
  carryOut(intent: Intent): void;
  /** What was begun and not finished; called until it answers that there is nothing. */
  finish(): boolean;
}

/** `lost`: the spool had no room for lines. */
export function createIntents(folder: string, disk: RecordDisk, lost: (lines: string) => void): Intents {
  const path = join(folder, NAME);

  function perform({ file, at, entry, lines, remove }: Intent): void {
    if (file !== null) disk.write(file, at, entry);
    if (lines !== '' && !disk.spool(lines)) lost(lines);
    for (const done of remove) disk.remove(done);
    disk.write(path, 0, '');
  }

  return {
    carryOut(intent) {
      disk.write(path, 0, `${JSON.stringify(intent)}\n`);
      perform(intent);
    },
    finish() {
      const intent = readIntent(path);
      if (intent === null) return false;
      perform(intent);
      return true;
    },
  };
}

/** null: there is none, or it is torn (or damaged, as when the machine went down). */
function readIntent(path: string): Intent | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  if (!text.endsWith('\n')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
