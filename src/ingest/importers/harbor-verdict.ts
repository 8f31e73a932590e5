import type { VerdictInit, VerdictStatus } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectOrNull, rewardAt } from '../fields.ts';
import { jsonText } from '../json-text.ts';
import { SYSTEM, type TrialFailure } from './harbor-trial.ts';

/** What the verifier of a trial said. A reward that is not there is missing, and never 0. */
export function trialVerdict(trial: JsonObject, path: string, failure: TrialFailure | null): VerdictInit {
  const result = objectOrNull(trial.verifier_result, `${path}verifier_result`);
  const rewards = rewardsOf(result, `${path}verifier_result`);
  const scored = Object.values(rewards).some(({ reward, note }) => reward !== null || note !== null);
  const status = scored ? 'scored' : statusOf(trial, result, failure);
  return {
    scorer: SYSTEM,
    status,
    rewards: Object.fromEntries(Object.entries(rewards).map(([name, { reward }]) => [name, reward])),
    report_json: result === null ? null : jsonText(result),
  };
}

type Reward = ReturnType<typeof rewardAt>;

/** Named ones; earlier trials had a single one. */
function rewardsOf(result: JsonObject | null, path: string): Record<string, Reward> {
  const named = objectOrNull(result?.rewards, `${path}.rewards`);
  const rewards: Record<string, Reward> = {};
  const at = (name: string, value: JsonValue | undefined, field: string) => {
    Object.defineProperty(rewards, name, { value: rewardAt(value, field), enumerable: true, configurable: true });
  };
  for (const [name, value] of Object.entries(named ?? {})) at(name, value, `${path}.rewards.${name}`);
  if (named === null && result?.reward !== undefined) at('reward', result.reward, `${path}.reward`);
  return rewards;
}

function statusOf(trial: JsonObject, result: JsonObject | null, failure: TrialFailure | null): VerdictStatus {
  const type = failure?.where === 'verifier' ? (failure.failure.type ?? '') : '';
  if (/VerifierTimeout/.test(type)) return 'timeout';
  if (/RewardFile|Reward\w*NotFound/.test(type)) return 'missing';
  if (/OutputParse/.test(type)) return 'parse_error';
  if (failure?.where === 'verifier') return 'crash';
  if (result !== null) return 'missing';
  // It began and left nothing, and nobody says why.
  return isObject(trial.verifier) && (trial.verifier.started_at ?? null) !== null ? 'missing' : 'not_run';
}
