import { deepInputOf } from '../../processors/audit/deep-input-of.ts';
import { isSampled } from '../../processors/audit/is-sampled.ts';
import { auditRows } from '../../processors/decide/audit-rows.ts';
import type { Attempt } from '../../processors/model/attempt.ts';
import { AUDIT_NAMES, type Audit, notAuditable } from '../../processors/model/audit-summary.ts';
import type { Candidate } from '../../processors/model/closing.ts';
import type { DeepAnswers } from '../../processors/model/deep-input.ts';
import { type AuditRow, DEFERRED, type Effects } from '../../processors/model/effects.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { DeepAuditor } from '../deep-audits/deep-auditor.ts';

type DecidedRows = Pick<Effects['rows'], 'decisions' | 'trajectories'>;

export interface LaneDeepAudits {
  /** Stands for the audits that a tokenizer makes, where it has not: says why. */
  readonly standIn: Audit;
  /** Starts what is to be audited of a wave; what its decisions have to wait for, or null. */
  begin(wave: readonly Candidate[], policy: Policy): Promise<void> | null;
  /** Rows of the attempts in `effects` whose audits no decision waited for. */
  deferred(effects: { readonly rows: DecidedRows }): Array<Promise<readonly AuditRow[]>>;
}

/**
 * Audits with a tokenizer, beside the lane. All attempts that a policy waits for; else a share of them, by a hash of the rollout
 * id, whose rows the flush of their decision waits for: no crash loses one, and no decision depends on it.
 */
export function createLaneDeepAudits(auditor: DeepAuditor, sampledShare: number): LaneDeepAudits {
  const jobs = new Map<string, Promise<DeepAnswers>>();

  const jobOf = (attempt: Attempt): Promise<DeepAnswers> => {
    const { unit, rolloutId, number } = attempt;
    const key = keyOf(unit.key, rolloutId, number);
    const job = jobs.get(key) ?? auditor.run(deepInputOf(attempt));
    jobs.set(key, job);
    return job;
  };
  const missingOf = ({ start }: Attempt) => auditor.missingFor(start?.tokenizer_sha256 ?? null);

  return {
    standIn: (attempt) =>
      notAuditable(missingOf(attempt) ?? (isSampled(attempt.rolloutId, sampledShare) ? DEFERRED : 'not sampled')),
    begin(wave, policy) {
      const waits: Array<Promise<void>> = [];
      const isAwaited = policy.awaitedAudits.size > 0;
      for (const attempt of attemptsOf(wave)) {
        if (attempt.deep !== null || missingOf(attempt) !== null) continue;
        if (isAwaited)
          waits.push(
            jobOf(attempt).then((answers) => {
              attempt.deep = answers;
              attempt.judged = null;
            }),
          );
        else if (isSampled(attempt.rolloutId, sampledShare)) jobOf(attempt);
      }
      return waits.length === 0 ? null : Promise.all(waits).then(() => undefined);
    },
    deferred({ rows }) {
      const late: Array<Promise<readonly AuditRow[]>> = [];
      const wanted = new Map(
        rows.trajectories.map(({ trajectory: t, unit }) => [keyOf(unit, t.rollout_id, t.attempt ?? 0), t]),
      );
      for (const decision of rows.decisions) {
        const key = keyOf(decision.unit, decision.rollout_id, decision.attempt);
        const job = jobs.get(key);
        jobs.delete(key);
        const isDeferred = wanted.get(key)?.audit_missing?.reencode === DEFERRED;
        if (job !== undefined && isDeferred) late.push(job.then((answers) => rowsOf(decision, answers)));
      }
      return late;
    },
  };
}

/** Members that wait for their group too: 1 A waits @5; 2 restart: A is no candidate of the rebuild; 3 B closes the group @12. */
function attemptsOf(wave: readonly Candidate[]): Set<Attempt> {
  const attempts = new Set<Attempt>();
  for (const candidate of wave) {
    if (candidate.kind === 'superseded') continue;
    if (candidate.kind !== 'unit_expired') attempts.add(candidate.attempt);
    const unit = candidate.kind === 'unit_expired' ? candidate.unit : candidate.attempt.unit;
    if (candidate.kind !== 'unit_expired' && unit.size === null) continue;
    for (const member of unit.attempts.values()) if (member.end !== null) attempts.add(member);
  }
  return attempts;
}

/** What the lane itself said of an audit stands, where the tokenizer found nothing to add. */
function rowsOf(of: Effects['rows']['decisions'][number], answers: DeepAnswers): AuditRow[] {
  return AUDIT_NAMES.flatMap((audit) => {
    const answer = answers[audit];
    const isOwn = audit === 'template' || audit === 'reencode';
    return answer === undefined || (!isOwn && answer.findings.length === 0) ? [] : auditRows(of, audit, answer);
  });
}

function keyOf(unit: string, rolloutId: string, attempt: number): string {
  return `${unit}\u0000${rolloutId}\u0000${attempt}`;
}
