import { createAuditOf } from '../audit/audit-of.ts';
import { takeEffects } from '../cut/cut.ts';
import { countSegment } from '../decide/count-segment.ts';
import type { Documents } from '../decide/judge.ts';
import type { Fits } from '../decide/record-space.ts';
import { flatSegment } from '../decide/segments-of.ts';
import { type Attempt, attemptKey, type Cause } from '../model/attempt.ts';
import { type Audits, NO_AUDITS } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';
import { createLaneState } from '../model/lane-state.ts';
import type { Policy } from '../model/policy.ts';
import type { Decoded } from '../model/record.ts';
import type { ReplayedUnit, UnitHistory } from '../model/replay.ts';
import { createStages } from '../stages.ts';
import { closingEvents } from './closing-events.ts';
import { createHindsight } from './hindsight.ts';
import type { LaneHistory } from './lane-history.ts';
import { recordsInPlace } from './records-in-place.ts';
import { recordsLost, refusalOfUnit } from './refusal-of-unit.ts';
import { storedAudits } from './stored-audits.ts';
import { tokensGone } from './tokens-gone.ts';
import { unitBatches } from './unit-batches.ts';
import { createUnitPast, type UnitPast } from './unit-past.ts';
import { vanishedOf } from './vanished-of.ts';

export interface ReplayLaneDeps {
  readonly topic: string;
  readonly partition: number;
  readonly history: LaneHistory;
  /** Loaded: all that the history names. */
  readonly documents: Documents;
  /** Audits are made again; null: what they said stands (`UnitHistory.audited`), but for `termination`, which the taxonomy decides. */
  readonly audits: Audits | null;
  /** What has to come before a wave may be decided; null: nothing. Absent: nothing ever. */
  readonly awaited?: (wave: readonly Candidate[], policy: Policy) => Promise<void> | null;
  readonly replayId: string;
  /** use: a verdict that came too late counts as if it had come in time; ignore: it stands where it came, and is late again unless the policy waits for it. */
  readonly late: 'use' | 'ignore';
  /** false: token ids and logprobs are not there (zeros of their length); there are no rows of `trajectories`, and counts are right. */
  readonly withTokens: boolean;
  /** false: rows of audits are not asked for. Absent: they are made, where they are made again or not. */
  readonly tellsAudits?: boolean;
  readonly limits: { readonly reorderEvents: number };
  /** What has no place on the ready topic is quarantined. Absent: everything has. */
  readonly fits?: Fits;
}

export interface ReplayLane {
  /** Rows are the caller's; nothing of the unit stays. For a lane that waits for nothing. */
  replay(unit: UnitHistory): ReplayedUnit;
  /** The same, waiting before each wave for what its decisions need. One at a time. */
  replayWaiting(unit: UnitHistory): Promise<ReplayedUnit>;
}

/**
 * The stages of a live lane over the history of one unit after another. Units know of each other by what is in force and by
 * producers that end, and both are in the lane's history: so that any order and grouping of units gives the same rows.
 */
export function createReplayLane(deps: ReplayLaneDeps): ReplayLane {
  const { topic, partition, history, documents, audits, replayId, late, withTokens } = deps;
  const state = createLaneState({ topic, partition, restored: 0, starts: new Set(), inForce: history.inForceAt(0) });
  let past: UnitPast = createUnitPast(NOTHING, null);
  const auditAnew = createAuditOf(audits ?? NO_AUDITS);
  const watch = audits?.watch ?? NO_AUDITS.watch;
  const stages = createStages({
    state,
    documents,
    rules: {
      ...deps.limits,
      countsTokens: !withTokens,
      watch(attempt, event) {
        watch(attempt, event);
        if (event.kind === 'start' && !withTokens) noteUnsound(attempt, past);
        past.hindsight?.seen(attempt, event);
      },
    },
    auditOf: (attempt, scored) =>
      audits === null
        ? storedAudits(past.audited, past.hindsight?.tells(attempt) ?? false, attempt, scored)
        : auditAnew(attempt, scored),
    ...(deps.fits && { fits: deps.fits }),
    ...(deps.awaited && { awaited: deps.awaited }),
    decideAs: {
      replayId,
      flatten: withTokens ? flatSegment : countSegment,
      travels: withTokens,
      tellsAudits: deps.tellsAudits ?? true,
      supersedes({ rolloutId, number }, scoreId) {
        const compared = past.decided.get(attemptKey(rolloutId, number));
        return compared === undefined || compared.score_id === scoreId ? null : compared.score_id;
      },
    },
  });

  /** Each must have been folded before the next is asked for. */
  function* batches(unit: UnitHistory, records: readonly Decoded[]): Generator<readonly Decoded[]> {
    const last = past.lastCause();
    yield* unitBatches(state, history, records, last.offset, past.decided);
    const causeOf = ({ rolloutId, number }: Attempt): Cause => past.causeOf(attemptKey(rolloutId, number));
    const { inForceAt } = history;
    for (const event of closingEvents(unit.unit, { state, judge: stages.judge, inForceAt, causeOf, last }))
      yield [event];
  }

  const begin = (unit: UnitHistory): readonly Decoded[] => {
    const hindsight = createHindsight(unit, late);
    const own = hindsight?.records ?? unit.records;
    const records = late === 'use' || unit.lateVerdicts.length === 0 ? own : recordsInPlace(own, unit);
    past = createUnitPast({ ...unit, records }, hindsight, history.endings);
    return records;
  };

  const end = (unit: UnitHistory): ReplayedUnit => {
    const { rows } = takeEffects(state);
    state.units.clear();
    state.recent.clear();
    state.opened.length = 0;
    state.openAttempts = 0;
    past = createUnitPast(NOTHING, null);
    const { vanished, unseen } = vanishedOf(unit, rows);
    if (unseen.length > 0) return recordsLost(unseen);
    const { decisions, rewards, trajectories } = rows;
    return { kind: 'replayed', rows: { decisions, rewards, trajectories, audits: rows.audits }, vanished };
  };

  return {
    replay(unit) {
      const refusal = refusalOfUnit(unit) ?? (withTokens ? tokensGone(unit) : null);
      if (refusal !== null) return refusal;
      for (const batch of batches(unit, begin(unit))) stages.fold(batch);
      return end(unit);
    },
    async replayWaiting(unit) {
      const refusal = refusalOfUnit(unit) ?? (withTokens ? tokensGone(unit) : null);
      if (refusal !== null) return refusal;
      for (const batch of batches(unit, begin(unit))) await stages.foldWaiting(batch);
      return end(unit);
    },
  };
}

/** An unsound logprob makes its record corrupt; where there are only zeros, the decision before is what knows of it. */
function noteUnsound(attempt: Attempt, { decided }: UnitPast): void {
  const raw = decided.get(attemptKey(attempt.rolloutId, attempt.number))?.reason_raw;
  if (raw === UNSOUND) attempt.corrupt ??= UNSOUND;
}

const UNSOUND = 'logprob_invalid';

const NOTHING: UnitHistory = {
  unit: '',
  partition: 0,
  records: [],
  lateVerdicts: [],
  newVerdicts: [],
  decided: [],
  open: [],
  audited: new Map(),
};
