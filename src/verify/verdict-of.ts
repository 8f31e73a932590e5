import { createHash } from 'node:crypto';
import type { StepEventInit, Verdict } from '../../schemas/generated/step-event.ts';
import { isJsonObject, parsedJson } from '../export/parsed-json.ts';
import type { JudgedAttempt } from './judged-attempt.ts';
import type { VerifierAnswer } from './verifier.ts';
import type { VerifierId } from './verifier-cache.ts';

/** An answer as a verdict about a whole attempt. */
export function verdictOf({ scorer, version }: VerifierId, { status, rewards, report }: VerifierAnswer): Verdict {
  return {
    scorer,
    scorer_version: version,
    status,
    rewards: { ...rewards },
    bound_to: null,
    report_json: jsonOf(report),
  };
}

/** A verdict as the event that the lane of its attempt reads. The same question is the same event: sent again it is a duplicate. */
export function verdictEvent(attempt: JudgedAttempt, verdict: Verdict, durationMs: number): StepEventInit {
  const { run_id, purpose, env_name, task_id, epoch, group_id, group_size, unit, rollout_id } = attempt;
  const named = [verdict.scorer, verdict.scorer_version, run_id, unit, rollout_id, attempt.attempt];
  return {
    ...{ run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt: attempt.attempt },
    seq: null,
    event_id: `verify|${createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 40)}`,
    producer_id: `verify:${verdict.scorer}`,
    kind: 'verdict',
    duration_us: Math.round(durationMs * 1000),
    source: { format: 'rollstream' },
    verdict,
  };
}

/** A report is JSON in an event: what is none is told as text within it. */
function jsonOf(report: string | null): string | null {
  if (report === null) return null;
  return isJsonObject(parsedJson(report)) ? report : JSON.stringify({ report });
}
