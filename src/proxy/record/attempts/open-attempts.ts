import { join } from 'node:path';
import { readAttemptFile } from './attempt-file.ts';
import { ATTEMPT_SUFFIX, type AttemptHead, attemptKey } from './attempt-head.ts';
import { type AttemptEntry, type AttemptState, applyEntry, beginAttempt, bytesOf } from './attempt-state.ts';

/** An attempt that has not ended: what is always in memory of it. */
export interface OpenAttempt {
  readonly key: string;
  readonly path: string;
  readonly head: AttemptHead;
  /** Bytes of its file; 0: there is none yet. */
  size: number;
  /** µs since the epoch: when its last call ended. */
  atUs: number;
  /** Requests that gave the client no answer, whose files stay: it may ask again. In the order in which they ended. */
  readonly waiting: WaitingCall[];
}

/** A call whose file is still there. */
export interface WaitingCall {
  readonly path: string;
  readonly body: string;
  /** What its request goes on from, its own messages included (conversation-keys.ts). */
  readonly key: string | null;
  readonly startedAtUs: number;
  readonly endedAtUs: number;
}

export interface OpenAttempts {
  readonly all: ReadonlyMap<string, OpenAttempt>;
  /** Those of which calls wait to be made again. */
  readonly withWaiting: ReadonlySet<OpenAttempt>;
  /** The attempt that began with this call. */
  begunWith(call: string): OpenAttempt | undefined;
  /** `size`: of its file; 0: that comes with its first entry. */
  begin(head: AttemptHead, size: number): OpenAttempt;
  /** Read back where memory has let it go. */
  stateOf(attempt: OpenAttempt): AttemptState;
  /** What was written behind its file. */
  grown(attempt: OpenAttempt, entry: AttemptEntry, bytes: number): void;
  wait(attempt: OpenAttempt, call: WaitingCall): void;
  /** Files of calls that wait no more. */
  waited(attempt: OpenAttempt, paths: readonly string[]): void;
  remove(attempt: OpenAttempt): void;
}

/** `maxBytes`: of states in memory, about. Those that were used longest ago are let go: their files tell them again. */
export function createOpenAttempts(folder: string, maxBytes: number): OpenAttempts {
  const all = new Map<string, OpenAttempt>();
  const byFirstCall = new Map<string, OpenAttempt>();
  const withWaiting = new Set<OpenAttempt>();
  /** In the order of their last use. */
  const states = new Map<string, { readonly state: AttemptState; bytes: number }>();
  let held = 0;

  function keep(key: string, state: AttemptState): AttemptState {
    forget(key);
    const bytes = bytesOf(state);
    states.set(key, { state, bytes });
    held += bytes;
    for (const [oldest] of states) {
      if (held <= maxBytes || states.size === 1) break;
      // What has no file yet is nowhere else.
      if (oldest !== key && (all.get(oldest)?.size ?? 1) > 0) forget(oldest);
      else if (oldest === key) break;
    }
    return state;
  }

  function forget(key: string): void {
    held -= states.get(key)?.bytes ?? 0;
    states.delete(key);
  }

  function stateOf(attempt: OpenAttempt): AttemptState {
    const known = states.get(attempt.key)?.state;
    if (known !== undefined) return keep(attempt.key, known);
    const read = readAttemptFile(attempt.path);
    if (read === null) throw new Error(`${attempt.path} tells of no attempt`);
    return keep(attempt.key, read.state);
  }

  return {
    ...{ all, withWaiting },
    begunWith: (call) => byFirstCall.get(call),
    begin(head, size) {
      const key = attemptKey(head.identity);
      const path = join(folder, `${key}${ATTEMPT_SUFFIX}`);
      const attempt = { key, path, head, size, atUs: head.startedAtUs, waiting: [] };
      all.set(key, attempt);
      byFirstCall.set(head.call, attempt);
      if (size === 0) keep(key, beginAttempt(head));
      return attempt;
    },
    stateOf,
    grown(attempt, entry, bytes) {
      const state = stateOf(attempt);
      // What was read back just now has it already, had it been let go.
      if (state.nextSeq < entry.nextSeq) applyEntry(state, entry);
      attempt.size += bytes;
      attempt.atUs = Math.max(attempt.atUs, entry.atUs);
      keep(attempt.key, state);
    },
    wait(attempt, call) {
      attempt.waiting.push(call);
      attempt.atUs = Math.max(attempt.atUs, call.endedAtUs);
      withWaiting.add(attempt);
    },
    waited(attempt, paths) {
      const left = attempt.waiting.filter(({ path }) => !paths.includes(path));
      attempt.waiting.splice(0, attempt.waiting.length, ...left);
      if (left.length === 0) withWaiting.delete(attempt);
    },
    remove(attempt) {
      all.delete(attempt.key);
      byFirstCall.delete(attempt.head.call);
      withWaiting.delete(attempt);
      forget(attempt.key);
    },
  };
}
