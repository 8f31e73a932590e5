import type { RawReasonInit, VerdictInit, VerdictStatus } from '../../../schemas/generated/step-event.ts';
import { type JsonObject, setOwn } from '../exact-number.ts';
import { arrayOrNull, booleanOr, objectAt, objectOrNull, rewardAt, textOrNull } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';
import { SYSTEM } from './verifiers-end.ts';
import { spanPlace } from './verifiers-times.ts';
import { SCORER } from './verifiers-verdict.ts';

/** How a trace, or an episode without any, came out. */
export interface TraceOutcome {
  readonly ok: boolean;
  readonly stop: string;
  /** Of a trace that is not ok: the error it ended with. Errors of one that is ok are those of earlier tries. */
  readonly error: JsonObject | null;
  /** The loop had decided to end before the error came. */
  readonly isLate: boolean;
}

export function traceOutcome(record: JsonObject, path: string): TraceOutcome {
  const errors = arrayOrNull(record.errors, `${path}.errors`) ?? [];
  const ok = booleanOr(record.ok, `${path}.ok`, errors.length === 0);
  const stop = textOrNull(record.stop_condition, `${path}.stop_condition`) ?? '';
  const last = errors.at(-1);
  const error = ok || last === undefined ? null : objectAt(last, `${path}.errors[${errors.length - 1}]`);
  // The first stop condition stays: an error leaves its own only where nothing had stopped the trace before.
  const isLate = error !== null && stop !== '' && !/(^|_)error$/.test(stop);
  return { ok, stop, error, isLate };
}

/** Why the loop ended, and what went wrong after it had decided to. */
export function traceReasons({ stop, error, isLate }: TraceOutcome, path: string): RawReasonInit[] {
  const reasons: RawReasonInit[] = [{ raw: stop, system: SYSTEM }];
  if (error !== null && isLate) reasons.push(lateReason(error, path));
  return reasons;
}

export function lateReason(error: JsonObject, path: string): RawReasonInit {
  const raw = textOrNull(error.type, `${path}.errors.type`) ?? '';
  return { raw, system: SYSTEM, detail: textOrNull(error.message, `${path}.errors.message`), after_end: true };
}

/**
 * Rewards by name, each times its weight; null is one that was not scored. Those of a trace that failed are a part of what
 * scoring would have said, if it ran at all, and are kept in the report alone.
 */
export function traceVerdict(trace: JsonObject, outcome: TraceOutcome, path: string): VerdictInit {
  const { values, scored } = rewardsOf(trace, path);
  const status = statusOf(trace, outcome, scored);
  const report = unlessEmpty({ rewards: trace.rewards ?? undefined, metrics: trace.metrics ?? undefined });
  return {
    scorer: SCORER,
    status,
    rewards: status === 'scored' ? values : Object.fromEntries(Object.keys(values).map((name) => [name, null])),
    report_json: report === undefined ? null : jsonText(report),
  };
}

function statusOf(trace: JsonObject, { ok, stop }: TraceOutcome, scored: number): VerdictStatus {
  if (stop === 'scoring_timeout') return 'timeout';
  if (!ok) return isScoring(trace) ? 'crash' : 'not_run';
  if (scored > 0) return 'scored';
  // A taskset without rewards has no verifier; one whose rewards are all null was not answered.
  return trace.rewards === undefined || isEmpty(trace.rewards) ? 'not_run' : 'missing';
}

function isScoring(trace: JsonObject): boolean {
  const timing = objectOrNull(trace.timing, 'timing') ?? {};
  return spanPlace(timing.scoring) !== null;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function rewardsOf(trace: JsonObject, path: string): { values: Record<string, number | null>; scored: number } {
  const values: { [name: string]: number | null } = {};
  let scored = 0;
  for (const [name, entry] of Object.entries(objectOrNull(trace.rewards, `${path}.rewards`) ?? {})) {
    const field = `${path}.rewards.${name}`;
    const reward = objectOrNull(entry, field);
    const { reward: score } = rewardAt(reward?.score, `${field}.score`);
    const { reward: weight } =
      reward?.weight === undefined ? { reward: 1 } : rewardAt(reward.weight, `${field}.weight`);
    const value = score === null || weight === null ? null : score * weight;
    setOwn(values, name, value);
    if (value !== null) scored++;
  }
  return { values, scored };
}
