import type { FailureInit, PhaseName, RawReasonInit } from '../../../schemas/generated/step-event.ts';
import type { EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectOrNull, textOrNull } from '../fields.ts';
import { unlessEmpty } from '../json-text.ts';
import { sourceTime } from '../source-times.ts';

/** Words that this importer says itself, where the source has none. */
export const SYSTEM = 'harbor';

/** Name of the job that a trial is of: the folder above its own, as the trial itself names it. null: it does not. */
export function jobOf({ trial_uri: uri, trial_name: name }: JsonObject): string | null {
  if (typeof uri !== 'string') return null;
  const [own, job] = uri.split('/').reverse();
  return own === name && job !== undefined && job !== '' && !job.endsWith(':') ? job : null;
}

/** A phase of a trial; `times`: what of them is not what it seems. */
export interface TrialPhase {
  readonly phase: PhaseName;
  readonly name: string;
  readonly place: EventPlace;
  readonly times: JsonObject | undefined;
  readonly rest: JsonObject | undefined;
}

const PHASES: ReadonlyArray<readonly [name: string, phase: PhaseName]> = [
  ['environment_setup', 'sandbox_setup'],
  ['agent_setup', 'agent_setup'],
  // The loop itself, model and tools together: the trial does not say which of them it waited for.
  ['agent_execution', 'other'],
  ['verifier', 'verify'],
];

/** Phases that the trial has, in the order in which they run. */
export function trialPhases(trial: JsonObject, path: string): TrialPhase[] {
  return PHASES.flatMap(([name, phase]) => {
    const timing = objectOrNull(trial[name], `${path}${name}`);
    if (timing === null) return [];
    const { started_at, finished_at, ...rest } = timing;
    const { place, times } = spanOf(started_at, finished_at);
    return [{ phase, name, place, times, rest: unlessEmpty(rest) }];
  });
}

/** Begin and end by the trial's own clock. Older trials write it without a zone, which is then taken as UTC and told. */
export function spanOf(
  started: JsonValue | undefined,
  finished: JsonValue | undefined,
): { readonly place: EventPlace; readonly times: JsonObject | undefined } {
  const [from, to] = [sourceTime(started), sourceTime(finished)];
  const times = unlessEmpty({
    started_at: from.note === null ? undefined : (started ?? undefined),
    finished_at: to.note === null ? undefined : (finished ?? undefined),
    note: from.note ?? to.note ?? undefined,
  });
  return { place: { startedAtUs: from.us, endedAtUs: to.us }, times };
}

/** What was raised in a trial, and where. */
export interface TrialFailure {
  readonly failure: FailureInit;
  /** loop: it ended the loop, or kept it from beginning; verifier: it kept the verifier from answering; later: neither. */
  readonly where: 'loop' | 'verifier' | 'later';
}

export function trialFailure(trial: JsonObject, path: string): TrialFailure | null {
  const info = objectOrNull(trial.exception_info, `${path}exception_info`);
  if (info === null) return null;
  const type = textOrNull(info.exception_type, `${path}exception_info.exception_type`);
  const message = info.exception_message ?? info.message;
  const failure = { type, message: typeof message === 'string' ? message : null };
  if (type !== null && /^(?:.*\.)?(?:Verifier|RewardFile)/.test(type)) return { failure, where: 'verifier' };
  return { failure, where: isInVerification(trial, info) ? whereThen(trial) : 'loop' };
}

/** The verifier had begun before it was raised: both by the trial's own clock. */
function isInVerification(trial: JsonObject, info: JsonObject): boolean {
  const began = isObject(trial.verifier) ? sourceTime(trial.verifier.started_at) : null;
  const raised = sourceTime(info.occurred_at);
  if (began === null || began.us === null || raised.us === null || began.note !== raised.note) return false;
  return raised.us >= began.us;
}

/** A verifier that gave its answer was not what failed. */
function whereThen(trial: JsonObject): 'verifier' | 'later' {
  return isObject(trial.verifier_result) ? 'later' : 'verifier';
}

/** Why the loop ended: the exception that ended it; without one it ended by itself, if it ran at all. */
export function trialReasons(trial: JsonObject, failure: TrialFailure | null): RawReasonInit[] {
  const raised = failure && {
    raw: failure.failure.type ?? '',
    system: SYSTEM,
    detail: failure.failure.message ?? null,
    after_end: failure.where === 'later',
  };
  if (raised && failure?.where === 'loop') return [raised];
  const hasRun = isObject(trial.agent_result) || isObject(trial.agent_execution);
  const detail = hasRun ? 'the agent returned, and nothing was raised before' : 'there is no sign of an agent that ran';
  const ended = { raw: hasRun ? 'completed' : '', system: SYSTEM, detail };
  return raised ? [ended, raised] : [ended];
}
