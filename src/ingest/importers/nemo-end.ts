import type { RawReasonInit, VerdictInit, VerdictStatus } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { rewardAt, textOrNull } from '../fields.ts';

const SYSTEM = 'nemo-gym';

/** Why the loop ended; beside it, that the environment asks not to learn from the sample (its reward may be nobody's). */
export function nemoReasons(line: JsonObject, response: JsonObject, output: readonly JsonValue[]): RawReasonInit[] {
  const first = primaryReason(line, response, output);
  return line.mask_sample === true ? [first, reason('mask_sample', failureText(line))] : [first];
}

/**
 * The first that is set. `response.status` proves nothing: a run that never submitted says completed
 * too. Nothing set is an empty raw value, which no taxonomy maps.
 */
function primaryReason(line: JsonObject, response: JsonObject, output: readonly JsonValue[]): RawReasonInit {
  const failure = textOrNull(line._ng_failure_class, '_ng_failure_class');
  if (failure !== null) return reason(failure, failureText(line));
  const incomplete = isObject(response.incomplete_details) ? response.incomplete_details.reason : null;
  const cut = textOrNull(incomplete, 'response.incomplete_details.reason');
  if (cut !== null) return reason(cut, null);
  if (line.truncated === true) return reason('truncated', null);
  if (line.terminated === true) return reason('terminated', null);
  const last = output.at(-1);
  if (isObject(last) && last.type === 'message' && last.status === 'completed')
    return reason('task_complete', 'last output item is a completed message');
  return reason('', null);
}

function reason(raw: string, detail: string | null): RawReasonInit {
  return { raw, system: SYSTEM, detail };
}

/** What a failed row says went wrong, under whichever of its names. */
export function failureText(line: JsonObject): string | null {
  for (const key of ['_ng_failure_judge_error', '_ng_failure_error', 'failure_reason', 'error']) {
    const text = line[key];
    if (typeof text === 'string' && text !== '') return text;
  }
  return null;
}

/** A failed row may hold a reward of 0 that nobody gave: it is not taken. */
export function nemoVerdict(line: JsonObject, reportJson: string | null): VerdictInit {
  const { reward, note } = rewardAt(line.reward, 'reward');
  const failure = textOrNull(line._ng_failure_class, '_ng_failure_class');
  const verdict = { scorer: SYSTEM, report_json: reportJson };
  if (failure !== null) return { ...verdict, status: failedStatus(failure), rewards: { reward: null } };
  return { ...verdict, status: reward === null && note === null ? 'missing' : 'scored', rewards: { reward } };
}

/** The verifier itself failed, or the rollout before it could run. */
function failedStatus(failure: string): VerdictStatus {
  return /judge|verif|eval/i.test(failure) ? (/timeout/i.test(failure) ? 'timeout' : 'crash') : 'not_run';
}
