import type { VerdictInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { rewardAt } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';

export const SCORER = 'verifiers';

/**
 * The reward of a row of legacy results. One beside an error was computed of what there was, and is no score. A 0 beside
 * metrics that are there and empty is what verifiers writes where scoring was off: every reward function leaves a metric.
 */
export function verifiersVerdict(row: JsonObject, report: JsonObject | undefined): VerdictInit {
  const { reward, note } = rewardAt(row.reward, 'reward');
  const isErrored = row.error !== undefined && row.error !== null;
  if (isErrored || isDummy(row.metrics, reward)) {
    const kept = unlessEmpty({ reward: row.reward, ...report });
    return { scorer: SCORER, status: 'not_run', rewards: { reward: null }, report_json: textOf(kept) };
  }
  return {
    scorer: SCORER,
    status: reward === null && note === null ? 'missing' : 'scored',
    rewards: { reward },
    report_json: textOf(unlessEmpty({ reward: note === null ? undefined : row.reward, ...report })),
  };
}

function isDummy(metrics: JsonValue | undefined, reward: number | null): boolean {
  return reward === 0 && isObject(metrics) && Object.keys(metrics).length === 0;
}

function textOf(report: JsonObject | undefined): string | null {
  return report === undefined ? null : jsonText(report);
}
