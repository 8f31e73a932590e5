import type { VerdictInit } from '../../../schemas/generated/step-event.ts';
import type { JsonValue } from '../exact-number.ts';
import { rewardAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';

const SCORER = 'skyrl';
/** So many rewards of tokens are kept one by one. */
const MOST_PLACES = 1_000;

/** A reward for the whole, or one a token, of which SkyRL takes the sum: where they stand is kept in the report. */
export function skyrlVerdict(value: JsonValue | undefined, field: string): VerdictInit {
  if (!Array.isArray(value)) {
    const { reward, note } = rewardAt(value, field);
    return {
      scorer: SCORER,
      status: reward === null && note === null ? 'missing' : 'scored',
      rewards: { reward },
      report_json: note === null || value === undefined ? null : jsonText({ reward: value }),
    };
  }
  let sum: number | null = 0;
  const places: JsonValue[] = [];
  for (const [i, item] of value.entries()) {
    const { reward } = rewardAt(item, `${field}[${i}]`);
    sum = sum === null || reward === null ? null : sum + reward;
    if (item !== 0) places.push([i, item]);
  }
  const isSparse = places.length <= MOST_PLACES;
  const report = { token_rewards: isSparse ? { count: value.length, not_zero: places } : value };
  return { scorer: SCORER, status: 'scored', rewards: { reward: sum }, report_json: jsonText(report) };
}
