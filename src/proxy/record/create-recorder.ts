import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { RollstreamError } from '../../errors.ts';
import { CALL_SUFFIX } from '../journal/call-file.ts';
import type { KnownAttempt } from './attempts/known-rollouts.ts';
import type { OpenAttempt } from './attempts/open-attempts.ts';
import type { RecordDisk } from './attempts/record-disk.ts';
import { openRecordStore } from './attempts/record-store.ts';
import type { RecordLimits } from './limits.ts';
import type { NamedAttempt, RecordingOptions, SaidEnd, SaidVerdict } from './port.ts';
import { createRecordCalls } from './record-calls.ts';
import { endLine, verdictLine } from './say-of-attempt.ts';

export interface RecorderDeps {
  /** State of the recording. */
  readonly folder: string;
  readonly producerId: string;
  readonly options: Pick<RecordingOptions, 'run' | 'env' | 'purpose' | 'idleMs' | 'idleReason'>;
  /** Where calls are written that have not ended. */
  readonly callsFolder: string;
  readonly disk: RecordDisk;
  readonly limits: RecordLimits;
  /** Wall clock, ms. */
  readonly now: () => number;
}

/** From files of calls to lines in the spool. One thing at a time, and each is done or not: what throws is to be asked again. */
export interface CallRecorder {
  take(path: string): void;
  /** Nobody can make events of it. */
  giveUp(path: string): void;
  /** `isRepeated`: an attempt that has ended is no fault. */
  end(named: NamedAttempt, end: SaidEnd, isRepeated?: boolean): void;
  verdict(named: NamedAttempt, verdict: SaidVerdict): void;
  /** Ends what had no call for the idle time. `told`: files of calls that have ended and were not taken yet. */
  endIdle(told: ReadonlySet<string>): void;
  readonly openRollouts: number;
  readonly lostEvents: number;
  readonly notAuditable: Readonly<Record<string, number>>;
}

export function createRecorder(deps: RecorderDeps): CallRecorder {
  const { folder, producerId, options, callsFolder, disk, limits, now } = deps;
  const notAuditable: Record<string, number> = {};
  let lostEvents = 0;
  const lost = (events: number): void => {
    lostEvents += events;
  };
  const store = openRecordStore(folder, disk, limits, lost);
  const begunAtUs = now() * 1000;
  const calls = createRecordCalls({
    ...{ store, producerId, limits, defaults: options },
    notAuditable(why) {
      notAuditable[why] = (notAuditable[why] ?? 0) + 1;
    },
  });

  function take(path: string): void {
    try {
      calls.take(path);
    } catch (error) {
      if (isGone(error, path)) return;
      // The disk's own refusals pass; what cannot be read will not be readable the next time either.
      if (isOfSystem(error)) throw error;
      giveUp(path);
      throw new Unreadable(`${path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }

  /** Its file is kept aside; where it has a name, its place in its attempt stays empty, so that nobody takes the rest for the whole. */
  function giveUp(path: string): void {
    try {
      calls.leaveGap(path);
    } catch (error) {
      // What cannot even tell its name leaves a gap nowhere.
      if (isOfSystem(error)) throw error;
    }
    renameSync(path, `${path}.unread`);
    lost(1);
  }

  function endOpen(attempt: OpenAttempt, end: SaidEnd): void {
    calls.giveUpWaiting(attempt);
    const state = store.attempts.stateOf(attempt);
    const { identity, startedAtUs } = attempt.head;
    const line = endLine(end, {
      ...{ identity, producerId, eventId: `${attempt.key}/end`, seq: state.nextSeq, startedAtUs },
      atUs: now() * 1000,
    });
    const found = store.found.keysOf(attempt);
    const endedAtUs = now() * 1000;
    store.end(attempt, { identity, endedAtUs, nextSeq: state.nextSeq + 1, calls: state.calls, found }, line);
  }

  function knownAs(named: NamedAttempt): KnownAttempt | null {
    return store.known.find(named.run ?? options.run, named);
  }

  return {
    ...{ take, giveUp },
    end(named, end, isRepeated = false) {
      const known = knownAs(named);
      if (isRepeated && known !== null && 'ended' in known) return;
      if (known === null || !('open' in known)) throw unknown(named, 'no such attempt is open');
      endOpen(known.open, end);
    },
    verdict(named, verdict) {
      const known = knownAs(named);
      if (known === null) throw unknown(named, 'no such rollout is known here');
      const { identity } = 'open' in known ? known.open.head : known.ended;
      const eventId = verdict.eventId ?? randomUUID();
      const line = verdictLine(verdict, { identity, producerId, eventId, atUs: now() * 1000 });
      if (disk.spool(line)) return;
      lost(1);
      throw new RollstreamError('RS_DISK_FULL', 'the spool of the recording is full');
    },
    endIdle(told) {
      const before = (now() - options.idleMs) * 1000;
      const idle = [...store.attempts.all.values()].filter(({ atUs }) => Math.max(atUs, begunAtUs) <= before);
      if (idle.length === 0) return;
      const busy = attemptsWithCalls(told);
      for (const attempt of idle) if (!busy.has(attempt)) endOpen(attempt, idleEnd(options.idleReason));
    },
    get openRollouts() {
      return store.attempts.all.size;
    },
    get lostEvents() {
      return lostEvents;
    },
    notAuditable,
  };

  /** A call may take longer than the idle time. */
  function attemptsWithCalls(told: ReadonlySet<string>): ReadonlySet<OpenAttempt> {
    const waiting = new Set([...store.attempts.withWaiting].flatMap((one) => one.waiting.map(({ path }) => path)));
    const busy = new Set<OpenAttempt>();
    for (const name of readdirSync(callsFolder)) {
      const path = join(callsFolder, name);
      if (!name.endsWith(CALL_SUFFIX) || (waiting.has(path) && !told.has(path))) continue;
      const attempt = attemptOrNull(path);
      if (attempt !== null) busy.add(attempt);
    }
    return busy;
  }

  /** null: also of a file that nobody can read, or that is gone by now: it keeps no attempt from its end, least of all the others. */
  function attemptOrNull(path: string): OpenAttempt | null {
    try {
      return calls.attemptOf(path);
    } catch (error) {
      if (isOfSystem(error) && !isGone(error, path)) throw error;
      return null;
    }
  }
}

/** Unless somebody knows what it means that a loop goes quiet, the reason is one that no taxonomy knows: it is not said to have failed. */
function idleEnd(reason: string | null): SaidEnd {
  const said = reason === null ? { raw: 'idle', system: 'rollstream-proxy' } : { raw: reason, system: 'rollstream' };
  return { reasons: [said] };
}

/** A call that nobody can make events of: a bug, and its file is kept. */
export class Unreadable extends Error {}

function unknown({ rollout, attempt }: NamedAttempt, why: string): RollstreamError {
  const named = attempt === null ? rollout : `${rollout}@${attempt}`;
  return new RollstreamError('RS_NOT_FOUND', `${JSON.stringify(named)}: ${why}`);
}

/** It was made events of before. */
function isGone(error: unknown, path: string): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync(path);
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
