import type { StepEvent } from '../../schemas/generated/step-event.ts';
import { type Attempt, type Cause, isStarted, isWhole, type Waiting } from '../model/attempt.ts';
import { factsOf } from '../model/attempt-facts.ts';
import type { Candidate } from '../model/closing.ts';
import { closeIfEmpty, giveUpOrphan, isRepeated, type LaneState } from '../model/lane-state.ts';
import { acceptRow, faultRow, verdictRow } from './event-rows.ts';
import { foldContent } from './fold-content.ts';
import { noteContradiction, priorAnswer } from './fold-verdict.ts';
import { hashOfId } from './hash-of-id.ts';
import { attemptOf, fixGroup, openUnit } from './open-unit.ts';

/** What folding goes by. */
export interface AssembleRules {
  /** Events of one attempt that may wait for an earlier one. */
  readonly reorderEvents: number;
  /** Sees the content of each accepted event after it was folded. */
  readonly watch: (attempt: Attempt, event: StepEvent) => void;
  /** Token ids and logprobs are zeros that nobody looks at: they are counted, and not kept. Absent: they are kept. */
  readonly countsTokens?: boolean;
}

/** Folds one event of a producer or verifier. What may now be decided is added to `candidates`. */
export function foldEvent(
  state: LaneState,
  key: string,
  event: StepEvent,
  cause: Cause,
  rules: AssembleRules,
  candidates: Candidate[],
): void {
  let unit = state.units.get(key);
  if (unit === undefined) {
    const opened = openUnit(state, key, event, cause);
    if (typeof opened === 'string') {
      refuse(state, key, event, cause, opened);
      return;
    }
    unit = opened;
  }
  const attempt = attemptOf(state, unit, event, cause);
  if (typeof attempt === 'string') {
    refuse(state, key, event, cause, attempt);
    return;
  }
  // Opened by an accepted record only: a refused one must not leave an empty unit behind.
  state.units.set(key, unit);
  const accepted =
    event.seq === null
      ? foldUnsequenced(state, attempt, event, cause, rules)
      : foldSequenced(state, attempt, event, event.seq, cause, rules, candidates);
  if (!accepted) return;
  if (!isStarted(attempt)) {
    // Below the frontier too: what was given up there must not be there when its start comes.
    if ((attempt.waiting?.size ?? 0) + attempt.early.length <= rules.reorderEvents) return;
    giveUpOrphan(state, attempt, cause);
    closeIfEmpty(state, unit);
  } else if (isWhole(attempt)) {
    if (!isRepeated(state, cause.offset)) candidates.push({ kind: 'whole', attempt, cause });
  } else if ((attempt.waiting?.size ?? 0) > rules.reorderEvents) {
    if (isRepeated(state, cause.offset)) attempt.expiredBy = 'reorder_overflow';
    else candidates.push({ kind: 'expired', attempt, cause, deadline: 'reorder_overflow' });
  }
}

/** A verdict that comes too late is kept for replay; a late phase amends the wall clock; anything else is a fault. */
function refuse(state: LaneState, key: string, event: StepEvent, cause: Cause, reason: string): void {
  if (event.kind === 'verdict') verdictRow(state, key, event, cause, true, cause.offset);
  else if (event.kind === 'phase' && event.seq === null && reason === 'late')
    acceptRow(state, key, event, cause, cause.offset);
  else faultRow(state, key, event, cause, reason, REFUSALS[reason] ?? '');
}

const REFUSALS: Readonly<Record<string, string>> = {
  late: 'its attempt was decided before',
  stale_attempt: 'a higher attempt of the rollout was seen before',
  already_decided: 'its rollout was decided before, and no retry was asked for',
  group_closed: 'its group closed before',
  group_size_conflict: 'another size of its group was told by the first start of the group',
  group_overfull: 'its group has as many members as its size',
  task_conflict: 'another task of its group was told by the first start of the group',
};

/** Verdicts, and phases after the end: by offset, told apart by event_id. */
function foldUnsequenced(
  state: LaneState,
  attempt: Attempt,
  event: StepEvent,
  cause: Cause,
  rules: AssembleRules,
): boolean {
  const { key } = attempt.unit;
  const hash = hashOfId(event.event_id);
  if (attempt.unsequenced?.has(hash))
    return faultRow(state, key, event, cause, 'duplicate', 'this event_id was seen before');
  const prior = priorAnswer(attempt, event);
  if (prior !== null && !prior.same) noteContradiction(attempt, event);
  if (prior !== null)
    return prior.same
      ? faultRow(state, key, event, cause, 'duplicate', 'this scorer gave this answer before')
      : faultRow(
          state,
          key,
          event,
          cause,
          'conflicting_duplicate',
          'this scorer gave another answer before; it is kept',
        );
  attempt.unsequenced ??= new Set();
  attempt.unsequenced.add(hash);
  touch(attempt, cause);
  if (isStarted(attempt)) acceptUnsequenced(state, attempt, { event, cause }, cause.offset, rules);
  else attempt.early.push({ event, cause });
  return true;
}

function acceptUnsequenced(
  state: LaneState,
  attempt: Attempt,
  { event, cause }: Waiting,
  accepted: number,
  { watch, countsTokens = false }: AssembleRules,
): void {
  if (event.kind === 'verdict') verdictRow(state, attempt.unit.key, event, cause, false, accepted);
  acceptRow(state, attempt.unit.key, event, cause, accepted);
  foldContent(attempt, event, countsTokens);
  watch(attempt, event);
}

/** In order of seq, from 0, without gaps; the first producer owns the attempt. */
function foldSequenced(
  state: LaneState,
  attempt: Attempt,
  event: StepEvent,
  seq: number,
  cause: Cause,
  rules: AssembleRules,
  candidates: Candidate[],
): boolean {
  const { key } = attempt.unit;
  if (attempt.owner !== null && attempt.owner !== event.producer_id)
    return faultRow(state, key, event, cause, 'not_owner', `the attempt is owned by ${attempt.owner}`);
  const seen = attempt.eventHashes[seq];
  const hash = hashOfId(event.event_id);
  if (seen !== undefined) {
    if (seen !== hash && event.kind === 'end') noteLater(attempt);
    return seen === hash
      ? faultRow(state, key, event, cause, 'duplicate', 'this event_id was seen before')
      : faultRow(state, key, event, cause, 'conflicting_duplicate', `another event has seq ${seq}; the first is kept`);
  }
  if (attempt.endSeq >= 0 && seq > attempt.endSeq) {
    noteLater(attempt);
    return faultRow(state, key, event, cause, 'late', `the attempt ends at seq ${attempt.endSeq}`);
  }
  attempt.owner = event.producer_id;
  attempt.eventHashes[seq] = hash;
  attempt.maxSeq = Math.max(attempt.maxSeq, seq);
  if (event.kind === 'end') attempt.endSeq = seq;
  touch(attempt, cause);
  if (seq !== attempt.nextSeq) {
    attempt.waiting ??= new Map();
    attempt.waiting.set(seq, { event, cause });
    if (isStarted(attempt)) acceptRow(state, key, event, cause, cause.offset);
    return true;
  }
  if (seq === 0) beginAttempt(state, attempt, event, cause, rules, candidates);
  else acceptRow(state, key, event, cause, cause.offset);
  foldInOrder(attempt, event, rules);
  return true;
}

/** The start: it fences off the lower attempts, and what came before it is accepted. */
function beginAttempt(
  state: LaneState,
  attempt: Attempt,
  event: StepEvent,
  cause: Cause,
  rules: AssembleRules,
  candidates: Candidate[],
): void {
  const { unit } = attempt;
  for (const lower of [...unit.attempts.values()]) {
    if (lower.rolloutId !== attempt.rolloutId || lower.number >= attempt.number) continue;
    if (!isStarted(lower)) giveUpOrphan(state, lower, cause);
    else if (!isRepeated(state, cause.offset)) candidates.push({ kind: 'superseded', attempt: lower, cause });
  }
  fixGroup(state, attempt, event);
  unit.lastProducer = event.producer_id;
  attempt.startedAtUs = event.started_at;
  acceptRow(state, unit.key, event, cause, cause.offset);
  if (!isRepeated(state, cause.offset))
    state.effects.rows.attempts.push({
      event,
      unit: unit.key,
      partition: state.partition,
      offset: cause.offset,
      appendedAtMs: cause.appendedAtMs,
    });
  for (const held of attempt.waiting?.values() ?? []) acceptRow(state, unit.key, held.event, held.cause, cause.offset);
  const { early } = attempt;
  attempt.early = [];
  for (const held of early) acceptUnsequenced(state, attempt, held, cause.offset, rules);
}

function foldInOrder(attempt: Attempt, event: StepEvent, { watch, countsTokens = false }: AssembleRules): void {
  attempt.nextSeq += 1;
  foldContent(attempt, event, countsTokens);
  watch(attempt, event);
  while (attempt.waiting !== null && attempt.end === null) {
    const next = attempt.waiting.get(attempt.nextSeq);
    if (next === undefined) return;
    attempt.waiting.delete(attempt.nextSeq);
    attempt.nextSeq += 1;
    foldContent(attempt, next.event, countsTokens);
    watch(attempt, next.event);
  }
}

function touch(attempt: Attempt, cause: Cause): void {
  attempt.revision += 1;
  attempt.lastAtMs = Math.max(attempt.lastAtMs, cause.appendedAtMs);
}

/** Not folded: its end said that there was no more. It is judged anew, so that a rebuild, which judges later, says the same. */
function noteLater(attempt: Attempt): void {
  factsOf(attempt).laterSteps += 1;
  attempt.judged = null;
}
