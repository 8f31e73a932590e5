import type { RecordDisk } from './record-disk.ts';

/**
 * What one call (or one end) changes, written down before any of it is done. A restart does all of it again: lines that were spooled
 * before arrive twice under the same event_id, which changes nothing.
 *
 * 1 intent, 2 the attempt's file, 3 spool, 4 files removed, 5 intent marked as done. Killed within 1: it is not marked as to be done,
 * and nothing was begun. Within 2 to 5: all of it is done again; the attempt's file is cut to where it began.
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

export interface Intents {
  /** Throws where the disk refuses: then it is still to be done, and nothing else may be. */
  carryOut(intent: Intent): void;
  /** What was begun and not finished. */
  finish(): void;
}

/** `lost`: the spool had no room for lines. */
export function createIntents(disk: RecordDisk, lost: (lines: string) => void): Intents {
  function perform({ file, at, entry, lines, remove }: Intent): void {
    if (file !== null) disk.write(file, at, entry);
    if (lines !== '' && !disk.spool(lines)) lost(lines);
    for (const done of remove) disk.remove(done);
    disk.done();
  }

  return {
    carryOut(intent) {
      disk.intend(JSON.stringify(intent));
      perform(intent);
    },
    finish() {
      const text = disk.intended();
      const intent = text === null ? null : parsedOrNull<Partial<Intent>>(text);
      if (isWhole(intent)) perform(intent);
    },
  };
}

function isWhole(intent: Partial<Intent> | null): intent is Intent {
  const isKnown = typeof intent?.entry === 'string' && typeof intent.lines === 'string' && Array.isArray(intent.remove);
  return isKnown && intent.file !== undefined && typeof intent.at === 'number';
}

/** null: it was damaged, as when the machine went down. */
export function parsedOrNull<T>(text: string): T | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
