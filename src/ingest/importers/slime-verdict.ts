import type { VerdictInit } from '../../../schemas/generated/step-event.ts';
import { ExactNumber, isObject, type JsonValue } from '../exact-number.ts';
import { rewardAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';

const SCORER = 'slime';
/** Generation had not come to its end: nobody was asked to judge. */
const UNJUDGED = new Set(['pending', 'aborted']);

/** A reward is a number, or several by name of which the trainer's `--reward-key` took one: which, the sample does not say. */
export function slimeVerdict(reward: JsonValue | undefined, field: string, status: string): VerdictInit {
  if (reward === undefined || reward === null) {
    return UNJUDGED.has(status)
      ? { scorer: SCORER, status: 'not_run' }
      : { scorer: SCORER, status: 'missing', rewards: { reward: null } };
  }
  if (!isObject(reward)) {
    const { reward: value, note } = rewardAt(reward, field);
    return {
      scorer: SCORER,
      status: 'scored',
      rewards: { reward: value },
      report_json: note === null ? null : jsonText({ reward }),
    };
  }
  const rewards: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(reward)) {
    // Texts, flags and the like stay in the report.
    if (typeof value === 'number' || value === null || value instanceof ExactNumber)
      rewards[name] = rewardAt(value, `${field}.${name}`).reward;
  }
  const isScored = Object.keys(rewards).length > 0;
  return { scorer: SCORER, status: isScored ? 'scored' : 'missing', rewards, report_json: jsonText(reward) };
}
