import type { StepEvent, Verdict } from '../../schemas/generated/step-event.ts';
import { foldVerdict, noteContradiction, priorAnswer } from '../assemble/fold-verdict.ts';
import { hashOfId } from '../assemble/hash-of-id.ts';
import { type Attempt, attemptKey, isStarted } from '../model/attempt.ts';
import type { Decoded } from '../model/record.ts';
import type { UnitHistory } from '../model/replay.ts';
import { askedBy } from './asked-by.ts';

/** Verdicts that nobody had when the unit was decided, and where in its history they count. */
export interface Hindsight {
  /** What is folded in the place of the unit's records. */
  readonly records: readonly Decoded[];
  /** Sees each accepted event after it was folded, and puts into `attempt.verdicts` what is known now. */
  readonly seen: (attempt: Attempt, event: StepEvent) => void;
  /** Its verdicts may be others than those that were there. */
  readonly tells: (attempt: Attempt) => boolean;
}

/** Of one attempt. */
interface Told {
  /** By who says it about what: they take the place of all that the same scorer said about the same turn. */
  readonly anew: Map<string, Verdict[]>;
  /** Came too late, and count as if they had come in time; by offset. Those that were put in leave. */
  late: Decoded[];
  /** Verdict events that the log has of it. */
  readonly said: Said[];
  /** It has started, and waits for the first verdict of the log. */
  waits: boolean;
}

interface Said {
  readonly offset: number;
  readonly event: StepEvent;
  readonly verdict: Verdict;
}

/**
 * REVISIONS ARE THOSE OF THE LOG: a verdict is put in beside the fold, and no event is taken out of it, since a deadline names
 * `saw`, the revision: 1 the verdict @9 is the second event; 2 verdict_missing @20 saw 3; 3 with another verdict folded as an
 * event of its own, the attempt would stand at 4, and the deadline, void, would leave it open.
 * IN THE PLACE OF THE OLD ONE, where there was one: 1 the end @8 and the verdict @9 close a group @9; 2 a new verdict put in at
 * the start would close it @8. Where there was none, with the first verdict of the log, whoever's: 1 scorer a answers @9, in time,
 * b @10, late; 2 with b's answer there at the end @8, the attempt would be decided @8, and a would be late. Where the log has no
 * verdict, from the start on: it must be there whenever the policy asks.
 */
export function createHindsight(unit: UnitHistory, late: 'use' | 'ignore'): Hindsight | null {
  const told = toldOf(unit, late);
  if (told.size === 0) return null;
  const offsets = new Map<StepEvent, number>();
  const records = unit.records.map((record) => {
    const { event, cause } = record;
    if (event.kind !== 'start' && event.verdict === null) return record;
    const of = told.get(attemptKey(event.rollout_id, event.attempt));
    if (of === undefined) return record;
    const { verdict } = event;
    const isAnew = verdict !== null && of.anew.has(askedBy(verdict));
    const given = isAnew ? { ...record, event: withoutAnswer(event, verdict) } : record;
    offsets.set(given.event, cause.offset);
    if (verdict !== null) of.said.push({ offset: cause.offset, event: given.event, verdict });
    return given;
  });

  /** All that has no event of its own to come after `at`. */
  const putIn = (attempt: Attempt, of: Told, at: number) => {
    const comes = (isIt: (verdict: Verdict) => boolean) =>
      of.said.some(({ offset, verdict }) => offset > at && isIt(verdict));
    for (const [asked, verdicts] of of.anew)
      if (!comes((verdict) => askedBy(verdict) === asked)) replace(attempt, asked, verdicts);
    const later: Decoded[] = [];
    for (const record of of.late) {
      const { verdict } = record.event;
      if (verdict !== null && comes((one) => isSameQuestion(one, verdict))) later.push(record);
      else take(attempt, record.event);
    }
    of.late = later;
  };

  return {
    records,
    tells: ({ rolloutId, number }) => told.has(attemptKey(rolloutId, number)),
    seen(attempt, event) {
      const { verdict } = event;
      if (event.kind !== 'start' && verdict === null) return;
      const of = told.get(attemptKey(attempt.rolloutId, attempt.number));
      if (of === undefined) return;
      const at = offsets.get(event) ?? Number.POSITIVE_INFINITY;
      if (event.kind === 'start') of.waits = of.said.some(({ offset }) => offset > at);
      else if (verdict !== null && of.anew.has(askedBy(verdict))) {
        replace(attempt, askedBy(verdict), of.anew.get(askedBy(verdict)) ?? []);
        refuseRepeats(attempt, of, event, verdict);
      }
      // What came before the start is seen before it: the start puts in what is left.
      if (event.kind === 'start' ? of.waits : !isStarted(attempt)) return;
      putIn(attempt, of, at);
    },
  };
}

function toldOf({ newVerdicts, lateVerdicts }: UnitHistory, late: 'use' | 'ignore'): Map<string, Told> {
  const told = new Map<string, Told>();
  const of = (rolloutId: string, attempt: number): Told => {
    const key = attemptKey(rolloutId, attempt);
    const known = told.get(key) ?? { anew: new Map(), late: [], said: [], waits: false };
    told.set(key, known);
    return known;
  };
  for (const { rolloutId, attempt, verdict } of newVerdicts) {
    const { anew } = of(rolloutId, attempt);
    anew.set(askedBy(verdict), [...(anew.get(askedBy(verdict)) ?? []), verdict]);
  }
  if (late === 'use')
    for (const record of lateVerdicts) {
      const { rollout_id, attempt, verdict } = record.event;
      if (verdict === null || told.get(attemptKey(rollout_id, attempt))?.anew.has(askedBy(verdict))) continue;
      of(rollout_id, attempt).late.push(record);
    }
  return told;
}

function isSameQuestion(a: Verdict, b: Verdict): boolean {
  return a.scorer === b.scorer && a.scorer_version === b.scorer_version && a.bound_to === b.bound_to;
}

/** All that is given anew is given in its place, so that two old answers are no contradiction. */
function withoutAnswer(event: StepEvent, verdict: Verdict): StepEvent {
  return { ...event, verdict: { ...verdict, status: 'not_run', rewards: {} } };
}

function replace(attempt: Attempt, asked: string, verdicts: readonly Verdict[]): void {
  for (let i = attempt.verdicts.length - 1; i >= 0; i--) {
    const held = attempt.verdicts[i];
    if (held !== undefined && askedBy({ scorer: held.scorer, bound_to: held.boundTo }) === asked)
      attempt.verdicts.splice(i, 1);
  }
  for (const verdict of verdicts) foldVerdict(attempt, verdict);
}

/** What said it is not held any more: what says the same again would be accepted, and raise the revision. */
function refuseRepeats(attempt: Attempt, { said }: Told, event: StepEvent, verdict: Verdict): void {
  for (const other of said) {
    if (other.event === event || !isSameQuestion(other.verdict, verdict)) continue;
    attempt.unsequenced ??= new Set();
    attempt.unsequenced.add(hashOfId(other.event.event_id));
  }
}

/** As if it had come in time: the first answer to a question counts, another one contradicts it. */
function take(attempt: Attempt, event: StepEvent): void {
  const prior = priorAnswer(attempt, event);
  if (prior === null) {
    if (event.verdict !== null) foldVerdict(attempt, event.verdict);
  } else if (!prior.same) noteContradiction(attempt, event);
}
