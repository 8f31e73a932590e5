import { statSync } from 'node:fs';
import { readCall } from '../journal/read-call.ts';
import { headLine } from './attempts/attempt-file.ts';
import type { AttemptHead } from './attempts/attempt-head.ts';
import { type AttemptEntry, beginAttempt } from './attempts/attempt-state.ts';
import { earlierKeys, lengthOfKey, requestKey } from './attempts/conversation-keys.ts';
import type { EndedAttempt } from './attempts/known-rollouts.ts';
import type { OpenAttempt, WaitingCall } from './attempts/open-attempts.ts';
import { isAgain, placeCall } from './attempts/place-call.ts';
import type { RecordStore } from './attempts/record-store.ts';
import { type Exchange, exchangeOf } from './call/exchange.ts';
import { callEvents } from './events/call-events.ts';
import { eventLine } from './events/event-line.ts';
import { startBody } from './events/start-body.ts';
import type { RecordLimits } from './limits.ts';

export interface RecordCallsDeps {
  readonly store: RecordStore;
  readonly producerId: string;
  readonly limits: RecordLimits;
  readonly defaults: Parameters<typeof placeCall>[1]['defaults'];
  /** A call was recorded, and nobody can audit it. */
  readonly notAuditable: (why: string) => void;
}

/** Makes events of calls, one after the other. Throws where the disk refuses; the same call is to be taken again then. */
export interface RecordCalls {
  take(path: string): void;
  /** Calls of the attempt that gave no answer, and are not made again. */
  giveUpWaiting(attempt: OpenAttempt): void;
  /** The attempt that the call was named after lacks an event, and is told so. */
  leaveGap(path: string): void;
  /** The open attempt that a call which has not ended yet belongs to; null: none. Changes nothing. */
  attemptOf(path: string): OpenAttempt | null;
}

export function createRecordCalls(deps: RecordCallsDeps): RecordCalls {
  const { store, producerId, limits } = deps;
  const answers = { maxBytes: limits.answerBytes, keptBytes: limits.keptBytes };
  const places = { ...store, defaults: deps.defaults };

  function read(path: string): Exchange | null {
    const { size } = statSync(path);
    if (size > limits.callBytes) throw new RangeError(`${size} bytes; at most ${limits.callBytes} are read`);
    const recorded = readCall(path);
    return recorded === null ? null : exchangeOf(path, recorded, answers);
  }

  function take(path: string): void {
    const exchange = read(path);
    if (exchange === null) {
      // Nothing of it was answered.
      store.disk.remove(path);
      return;
    }
    const place = placeCall(exchange, places);
    if ('late' in place) takeLate(exchange, place.late);
    else takeInto('open' in place ? place.open : store.begin(place.begins), exchange);
  }

  function takeInto(attempt: OpenAttempt, exchange: Exchange): void {
    if (attempt.size === 0) start(attempt, exchange);
    if (exchange.answer.error !== null) {
      wait(attempt, exchange);
      return;
    }
    giveUp(
      attempt,
      attempt.waiting.filter((call) => wentOn(exchange, call)),
    );
    record(
      attempt,
      exchange,
      attempt.waiting.filter((call) => isAgain(exchange, call)),
    );
  }

  function start(attempt: OpenAttempt, exchange: Exchange): void {
    const { head } = attempt;
    const line = eventLine(
      'start',
      startBody(exchange),
      {
        ...{ identity: head.identity, producerId, eventId: `${exchange.head.id}/0`, seq: 0 },
        ...{ startedAtUs: exchange.startedAtUs, endedAtUs: exchange.startedAtUs, durationUs: null },
      },
      {
        inferred: head.isInferred ? true : undefined,
        // Unless the engine was given tools, the loop makes calls of texts and ids itself, and nobody here sees which.
        lists_calls: Array.isArray(exchange.request?.tools) ? undefined : false,
        proxy: {
          upstream: exchange.head.upstream,
          engine: exchange.head.engine,
          headers: { ...exchange.head.headers },
        },
      },
    );
    const entry: AttemptEntry = { ...NO_CONVERSATION, atUs: exchange.startedAtUs, nextSeq: 1, calls: 0 };
    store.append(attempt, entry, line, [], headLine(head));
  }

  /** It may be made again: its file stays until it is, or until it is known that it is not. */
  function wait(attempt: OpenAttempt, exchange: Exchange): void {
    const { path, body, startedAtUs, endedAtUs } = exchange;
    if (attempt.waiting.some((call) => call.path === path)) return;
    store.attempts.wait(attempt, { path, body, key: requestKey(exchange), startedAtUs, endedAtUs });
    const oldest = attempt.waiting[0];
    if (oldest !== undefined && attempt.waiting.length > limits.waitingCalls) giveUp(attempt, [oldest]);
  }

  /** Calls, each as the last of those with the same body. */
  function giveUp(attempt: OpenAttempt, calls: readonly WaitingCall[]): void {
    for (const body of new Set(calls.map((call) => call.body))) {
      const same = calls.filter((call) => call.body === body);
      const last = same.at(-1);
      const exchange = last === undefined ? null : read(last.path);
      if (exchange !== null) record(attempt, exchange, same.slice(0, -1));
    }
  }

  function record(attempt: OpenAttempt, exchange: Exchange, again: readonly WaitingCall[]): void {
    const tries = again.flatMap(({ path }) => read(path) ?? []);
    const { lines, entry } = callEvents(store.attempts.stateOf(attempt), exchange, {
      producerId,
      tries,
      isLate: false,
    });
    const done = [exchange.path, ...again.map(({ path }) => path)];
    store.append(attempt, entry, lines, done, '');
    store.attempts.waited(attempt, done);
    countUnaudited(exchange);
  }

  function takeLate(exchange: Exchange, ended: EndedAttempt): void {
    const head: AttemptHead = { identity: ended.identity, isInferred: false, call: exchange.head.id, startedAtUs: 0 };
    const state = { ...beginAttempt(head), nextSeq: ended.nextSeq, calls: ended.calls };
    const { lines, entry } = callEvents(state, exchange, { producerId, tries: [], isLate: true });
    store.appendEnded({ ...ended, nextSeq: entry.nextSeq, calls: entry.calls }, lines, [exchange.path]);
    countUnaudited(exchange);
  }

  function countUnaudited({ answer }: Exchange): void {
    if (answer.notAuditable !== null) deps.notAuditable(answer.notAuditable);
  }

  return {
    take,
    giveUpWaiting: (attempt) => giveUp(attempt, [...attempt.waiting]),
    leaveGap(path) {
      const named = statSync(path).size > limits.callBytes ? null : readCall(path)?.head.named;
      if (!named || named.rollout === null) return;
      const known = store.known.find(named.run ?? deps.defaults.run, { ...named, rollout: named.rollout });
      if (known === null || !('open' in known) || known.open.size === 0) return;
      const { nextSeq, calls } = store.attempts.stateOf(known.open);
      const { atUs } = known.open;
      const gap: AttemptEntry = { ...NO_CONVERSATION, atUs, nextSeq: nextSeq + 1, calls: calls + 1 };
      store.append(known.open, gap, '', [], '');
    },
    attemptOf(path) {
      const exchange = read(path);
      const place = exchange === null ? null : placeCall(exchange, places);
      return place !== null && 'open' in place ? place.open : null;
    },
  };
}

/** Of what changes nothing of what was said. */
const NO_CONVERSATION = { body: null, segment: null, found: null } as const;

/** The client went on without its answer: its request stands whole at the beginning of another. */
function wentOn(exchange: Exchange, { key, body }: WaitingCall): boolean {
  if (key === null || body === exchange.body) return false;
  const of = lengthOfKey(key);
  return earlierKeys(exchange, (kind, length) => of?.kind === kind && of.length === length).includes(key);
}
