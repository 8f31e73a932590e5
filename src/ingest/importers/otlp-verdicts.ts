import type { VerdictInit } from '../../../schemas/generated/step-event.ts';
import type { JsonObject } from '../exact-number.ts';
import { rewardAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';

const EVALUATION = 'gen_ai.evaluation.result';
const SCORE = 'gen_ai.evaluation.score.value';

export function isEvaluation(name: string): boolean {
  return name === EVALUATION;
}

/** What an evaluation says. Without a score it has none, whatever its label: null is not 0. `turn`: of the call that it judges. */
export function otelVerdict(attributes: JsonObject, turn: number | null): VerdictInit {
  const name = attributes['gen_ai.evaluation.name'];
  const value = attributes[SCORE];
  const isNumber = value === undefined || value === null || typeof value !== 'string';
  const { reward, note } =
    isNumber && typeof value !== 'boolean' && !Array.isArray(value)
      ? rewardAt(value, SCORE)
      : { reward: null, note: null };
  const hasError = attributes['error.type'] !== undefined;
  const status = hasError ? 'crash' : reward === null && note === null ? 'missing' : 'scored';
  return {
    scorer: typeof name === 'string' && name !== '' ? name : 'otel',
    status,
    rewards: { score: hasError ? null : reward },
    bound_to: turn,
    report_json: jsonText(attributes),
  };
}
