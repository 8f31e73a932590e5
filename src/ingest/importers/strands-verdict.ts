import type { VerdictInit, VerdictStatus } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt, rewardAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';

const SCORER = 'strands-env';

/**
 * A reward function of strands-env catches every error and returns 0.0, so that a broken verifier looks like a wrong
 * answer. Two conventions in `info` tell them apart: `status: error` (judges) and `reason` (math).
 */
export function strandsVerdict(reward: JsonValue | undefined, field: string, aborted: boolean): VerdictInit {
  if (reward === undefined || reward === null) {
    return aborted
      ? { scorer: SCORER, status: 'not_run' }
      : { scorer: SCORER, status: 'missing', rewards: { reward: null } };
  }
  // Early lines had the number alone.
  const result: JsonObject =
    isObject(reward) || Array.isArray(reward) || typeof reward === 'string' ? objectAt(reward, field) : { reward };
  const scored = rewardAt(result.reward, `${field}.reward`);
  const fault = faultOf(result.info);
  const status = fault ?? (scored.reward === null && scored.note === null ? 'missing' : 'scored');
  return {
    scorer: SCORER,
    status,
    rewards: { reward: fault === null ? scored.reward : null },
    report_json: jsonText(result),
  };
}

/** What kept the verifier from judging; null: it judged. An answer it could not read, or none at all, is judged: 0. */
function faultOf(info: JsonValue | undefined): VerdictStatus | null {
  if (!isObject(info)) return null;
  if (info.status === 'error') return 'crash';
  if (info.reason === 'invalid_ground_truth') return 'crash';
  if (info.reason === 'gold_parse_failed') return 'parse_error';
  return null;
}
