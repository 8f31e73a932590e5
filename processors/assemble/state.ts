import type { StepEvent } from '../../schemas/generated/step-event.ts';
import {
  type Attempt,
  attemptKey,
  type Cause,
  type Decided,
  isStarted,
  isWhole,
  type PastDecision,
  type Unit,
} from '../model/attempt.ts';
import type { LaneState } from '../model/lane-state.ts';

/** A unit as its first record finds it. `past`: its decisions before this record; `recall`: those between it and the frontier. */
export function createUnit(
  key: string,
  event: StepEvent,
  cause: Cause,
  past: readonly PastDecision[],
  recall: PastDecision[],
): Unit {
  const decided = new Map<string, Decided>();
  for (const { rolloutId, attempt, disposition, category } of past) {
    const known = decided.get(rolloutId);
    if (known === undefined || known.attempt < attempt) decided.set(rolloutId, { attempt, disposition, category });
  }
  return {
    key,
    start: cause.offset,
    openedAtMs: cause.appendedAtMs,
    runId: event.run_id,
    epoch: event.epoch,
    size: event.group_size,
    taskId: null,
    decided,
    recall,
    attempts: new Map(),
    lastProducer: null,
    asked: false,
  };
}

/** An attempt as its first record finds it: nothing is folded, nobody owns it. */
export function createAttempt(unit: Unit, event: StepEvent, cause: Cause): Attempt {
  return {
    unit,
    rolloutId: event.rollout_id,
    number: event.attempt,
    identity: identityOf(event),
    firstOffset: cause.offset,
    openedAtMs: cause.appendedAtMs,
    lastAtMs: cause.appendedAtMs,
    owner: null,
    start: null,
    startedAtUs: null,
    endedAtUs: null,
    nextSeq: 0,
    maxSeq: -1,
    eventHashes: [],
    unsequenced: null,
    waiting: null,
    early: [],
    segments: [],
    turns: [],
    aux: [],
    calls: 0,
    missingTokens: false,
    openCalls: [],
    unaskedResults: 0,
    verdicts: [],
    wallUs: {},
    facts: null,
    end: null,
    endSeq: -1,
    corrupt: null,
    revision: 0,
    judged: null,
    watch: null,
    deep: null,
    audited: null,
    expiredBy: null,
    asked: null,
  };
}

/** Only what every event of the attempt says alike: the event's own content must not stay in memory. */
function identityOf(event: StepEvent): Attempt['identity'] {
  const { run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt } = event;
  return { run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt };
}

/** What must hold of a lane between two records; the first relation that does not, in words, or null. */
export function checkAssemble(state: LaneState): string | null {
  let open = 0;
  for (const [key, unit] of state.units) {
    if (unit.key !== key) return `unit ${unit.key} is held as ${key}`;
    for (const [id, attempt] of unit.attempts) {
      open += 1;
      if (attemptKey(attempt.rolloutId, attempt.number) !== id) return `${key}: an attempt is held under another id`;
      if (attempt.maxSeq < attempt.nextSeq - 1)
        return `${key}: maxSeq ${attempt.maxSeq} below nextSeq ${attempt.nextSeq}`;
      for (const seq of attempt.waiting?.keys() ?? [])
        if (seq < attempt.nextSeq) return `${key}: seq ${seq} waits, though it was folded`;
      if (attempt.end === null && attempt.waiting?.has(attempt.nextSeq))
        return `${key}: seq ${attempt.nextSeq} waits, though it is the next`;
      if (attempt.end !== null && !isWhole(attempt)) return `${key}: folded beyond its end at ${attempt.endSeq}`;
      if (!isStarted(attempt) && attempt.nextSeq > 0) return `${key}: folded without its start`;
      for (const segment of attempt.segments) {
        const held = segment.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
        if (held !== segment.length)
          return `${key}: segment ${segment.id} says ${segment.length} tokens and holds ${held}`;
      }
    }
  }
  return open === state.openAttempts ? null : `openAttempts is ${state.openAttempts}, open are ${open}`;
}
