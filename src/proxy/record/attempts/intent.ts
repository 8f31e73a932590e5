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
      disk.intend(intentText(intent));
      perform(intent);
    },
    finish() {
      const text = disk.intended();
      const intent = text === null ? null : intentOf(text);
      if (isWhole(intent)) perform(intent);
    },
  };
}

/** A line of JSON, and behind it the lines that it tells of as they are: they are long, and would be written as JSON within JSON. */
function intentText({ entry, lines, ...told }: Intent): string {
  return `${JSON.stringify({ ...told, entryLength: entry.length })}\n${entry}${lines}`;
}

function intentOf(text: string): Partial<Intent> | null {
  const end = text.indexOf('\n');
  // Earlier versions had all of it in one line.
  if (end === -1) return parsedOrNull<Partial<Intent>>(text);
  const told = parsedOrNull<Partial<Intent> & { entryLength?: unknown }>(text.slice(0, end));
  if (typeof told?.entryLength !== 'number') return null;
  const lines = end + 1 + told.entryLength;
  return { ...told, entry: text.slice(end + 1, lines), lines: text.slice(lines) };
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
