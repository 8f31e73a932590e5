import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordLimits } from '../limits.ts';
import { entryLine, readAttemptFile } from './attempt-file.ts';
import { ATTEMPT_SUFFIX, type AttemptHead } from './attempt-head.ts';
import type { AttemptEntry } from './attempt-state.ts';
import { createFoundConversations, type FoundConversations } from './found-conversations.ts';
import { createIntents, parsedOrNull } from './intent.ts';
import { createKnownRollouts, type EndedAttempt, type KnownRollouts } from './known-rollouts.ts';
import { createOpenAttempts, type OpenAttempt, type OpenAttempts } from './open-attempts.ts';
import type { RecordDisk } from './record-disk.ts';

/** What is known of attempts, in memory and on disk. What it is told to change is on disk before it is in memory. */
export interface RecordStore {
  readonly attempts: OpenAttempts;
  readonly known: KnownRollouts;
  readonly found: FoundConversations;
  readonly disk: RecordDisk;
  begin(head: AttemptHead): OpenAttempt;
  /** Lines to the spool, the entry to the attempt's file; `done`: files that are done with. `before`: what its file begins with. */
  append(attempt: OpenAttempt, entry: AttemptEntry, lines: string, done: readonly string[], before: string): void;
  /** The attempt ends: its file goes. */
  end(attempt: OpenAttempt, ended: EndedAttempt, lines: string): void;
  /** Something came for an attempt that has ended. */
  appendEnded(ended: EndedAttempt, lines: string, done: readonly string[]): void;
}

const ENDED = 'ended.ndjson';

/** `lost`: events that the spool had no room for. */
export function openRecordStore(
  folder: string,
  disk: RecordDisk,
  limits: RecordLimits,
  lost: (events: number) => void,
): RecordStore {
  const attemptsFolder = join(folder, 'attempts');
  mkdirSync(attemptsFolder, { recursive: true, mode: 0o700 });
  const intents = createIntents(disk, (lines) => lost(lines.split('\n').length - 1));
  intents.finish();
  const attempts = createOpenAttempts(attemptsFolder, limits.stateBytes);
  const known = createKnownRollouts(limits.endedAttempts);
  const found = createFoundConversations(attempts.stateOf);
  const endedPath = join(folder, ENDED);
  let endedBytes = readEnded(endedPath, known, limits.endedAttempts);
  for (const name of readdirSync(attemptsFolder)) {
    if (!name.endsWith(ATTEMPT_SUFFIX)) continue;
    const path = join(attemptsFolder, name);
    const read = readable(path);
    // Its first entry was torn, and no intent tells of it: it is another call's to begin.
    if (read === null) disk.remove(path);
    else if (read !== undefined) reopened(read);
  }

  /** undefined: it was damaged, as when the machine went down. It is kept aside, and what its attempt lacks is seen by its server. */
  function readable(path: string): ReturnType<typeof readAttemptFile> | undefined {
    try {
      return readAttemptFile(path);
    } catch (error) {
      // Whatever stands there in another form than ours is damaged; what the disk refuses is not.
      if (error instanceof Error && 'syscall' in error) throw error;
      renameSync(path, `${path}.damaged`);
      lost(1);
      return undefined;
    }
  }

  function reopened({
    state,
    last,
    bytes,
    found: conversations,
  }: NonNullable<ReturnType<typeof readAttemptFile>>): void {
    const attempt = begin(state.head, bytes);
    attempt.atUs = last.atUs;
    for (const conversation of conversations) found.add(attempt, conversation);
  }

  function begin(head: AttemptHead, size = 0): OpenAttempt {
    const attempt = attempts.begin(head, size);
    known.opened(attempt);
    return attempt;
  }

  function rememberEnded(ended: EndedAttempt, bytes: number): void {
    endedBytes += bytes;
    known.ended(ended);
  }

  return {
    ...{ attempts, known, found, disk },
    begin: (head) => begin(head),
    append(attempt, entry, lines, done, before) {
      const text = `${before}${entryLine(entry)}`;
      intents.carryOut({ file: attempt.path, at: attempt.size, entry: text, lines, remove: done });
      attempts.grown(attempt, entry, Buffer.byteLength(text));
      found.add(attempt, entry);
    },
    end(attempt, ended, lines) {
      const entry = `${JSON.stringify(ended)}\n`;
      intents.carryOut({ file: endedPath, at: endedBytes, entry, lines, remove: [attempt.path] });
      found.remove(attempt);
      attempts.remove(attempt);
      rememberEnded(ended, Buffer.byteLength(entry));
    },
    appendEnded(ended, lines, done) {
      const entry = `${JSON.stringify(ended)}\n`;
      intents.carryOut({ file: endedPath, at: endedBytes, entry, lines, remove: done });
      rememberEnded(ended, Buffer.byteLength(entry));
    },
  };
}

/** Bytes of the file, which is written anew where most of it is forgotten. */
function readEnded(path: string, known: KnownRollouts, most: number): number {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 0;
  }
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole.split('\n').slice(0, -1);
  for (const line of lines) {
    const ended: Partial<EndedAttempt> | null = parsedOrNull(line);
    if (isEnded(ended)) known.ended(ended);
  }
  if (lines.length <= 2 * most) return Buffer.byteLength(whole);
  const kept = [...known.allEnded()].map((ended) => `${JSON.stringify(ended)}\n`).join('');
  writeFileSync(`${path}.new`, kept, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return Buffer.byteLength(kept);
}

/** A line that was damaged may be JSON all the same. */
function isEnded(line: Partial<EndedAttempt> | null): line is EndedAttempt {
  return typeof line?.identity?.rollout_id === 'string' && Array.isArray(line.found);
}
