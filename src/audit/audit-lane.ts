import { foldEvent } from '../../processors/assemble/reduce.ts';
import { type Attempt, isStarted, isWhole } from '../../processors/model/attempt.ts';
import { type Audited, type Audits, auditOf } from '../../processors/model/audit-summary.ts';
import type { Candidate } from '../../processors/model/closing.ts';
import { emptyEffects } from '../../processors/model/effects.ts';
import { NO_GATES } from '../../processors/model/gate.ts';
import type { Scored } from '../../processors/model/judgement.ts';
import { createLaneState, giveUpOrphan, removeAttempt } from '../../processors/model/lane-state.ts';
import type { Taxonomy } from '../../processors/model/taxonomy.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { NO_WEIGHTS } from '../../processors/model/weights.ts';
import { scoreOf } from '../../processors/score/score.ts';
import type { StepEvent } from '../../schemas/generated/step-event.ts';

export interface AuditLaneDeps {
  readonly taxonomy: Taxonomy;
  readonly audits: Audits;
  readonly reorderEvents: number;
  /** An attempt can change no more. */
  readonly closed: (attempt: Attempt, scored: Scored, audited: Audited) => void;
}

/** The assembly of a lane over files: nothing is decided, nothing is kept of what has closed. */
export interface AuditLane {
  fold(event: StepEvent): void;
  /** What is whole closes, but for the last `waiting`: their verdicts may be yet to come. */
  closeWhole(waiting: number): void;
  /** The input has ended: what has no end has lost its worker, as at the end of an import. */
  closeAll(): void;
  /** Events that were not folded, by reason, since this was last asked. */
  takeFaults(): Record<string, number>;
}

export function createAuditLane({ taxonomy, audits, reorderEvents, closed }: AuditLaneDeps): AuditLane {
  const state = createLaneState({
    topic: 'audit',
    partition: 0,
    restored: 0,
    starts: new Set(),
    inForce: { policy_id: '', taxonomy_id: taxonomy.id, weights: NO_WEIGHTS, gates: NO_GATES },
  });
  const rules = { reorderEvents, watch: audits.watch };
  /** Whole attempts in the order they became so. */
  const whole = new Set<Attempt>();
  let faults: Record<string, number> = {};
  let offset = 0;

  function take({ kind, ...candidate }: Candidate): void {
    if (!('attempt' in candidate)) return;
    const { attempt } = candidate;
    if (kind === 'whole') whole.add(attempt);
    else if (kind === 'superseded' && !isWhole(attempt)) {
      note('superseded');
      leave(attempt);
    } else {
      // A lower attempt that had ended is a result like any other: a lane would have decided it by then.
      if ('deadline' in candidate) attempt.expiredBy = candidate.deadline;
      close(attempt);
    }
  }

  function close(attempt: Attempt): void {
    const scored = scoreOf(attempt, taxonomy);
    closed(attempt, scored, auditOf(audits, attempt, scored));
    leave(attempt);
  }

  function leave(attempt: Attempt): void {
    whole.delete(attempt);
    removeAttempt(state, attempt);
    if (attempt.unit.attempts.size === 0) state.units.delete(attempt.unit.key);
  }

  function note(reason: string): void {
    faults[reason] = (faults[reason] ?? 0) + 1;
  }

  /** Rows are for a store: here they are counted. */
  function dropEffects(): void {
    for (const { reason } of state.effects.rows.step_faults) note(reason);
    state.effects = emptyEffects();
    state.opened = [];
  }

  return {
    fold(event) {
      const candidates: Candidate[] = [];
      foldEvent(state, unitOf(event), event, { offset: offset++, appendedAtMs: 0 }, rules, candidates);
      dropEffects();
      for (const candidate of candidates) take(candidate);
    },
    closeWhole(waiting) {
      for (const attempt of whole) {
        if (whole.size <= waiting) return;
        close(attempt);
      }
    },
    closeAll() {
      for (const unit of [...state.units.values()])
        for (const attempt of [...unit.attempts.values()]) {
          if (!isStarted(attempt)) giveUpOrphan(state, attempt, { offset, appendedAtMs: 0 });
          else {
            if (!isWhole(attempt)) attempt.expiredBy = 'source_ended';
            close(attempt);
          }
        }
      state.units.clear();
      dropEffects();
    },
    takeFaults() {
      const taken = faults;
      faults = {};
      return taken;
    },
  };
}
