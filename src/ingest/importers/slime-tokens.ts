import type { WeightSpanInit } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { arrayOrNull, countOrNull, idOrNull, Refused, shown } from '../fields.ts';
import { packTokenIds, sameLength } from '../packed.ts';
import { type CallTokens, callsOfRuns, checkNumbers, runsOfMask, type TokenRun } from './flat-tokens.ts';

export interface SlimeTokens {
  readonly calls: readonly CallTokens[];
  /** All of the response is one completion: its text is what the policy wrote. */
  readonly isOneCompletion: boolean;
}

/** `tokens` is the whole sequence; mask and logprobs speak of the response alone. Without a mask all of it was sampled. */
export function slimeTokens(sample: JsonObject, path: string): SlimeTokens {
  const ids = arrayOrNull(sample.tokens, `${path}tokens`) ?? [];
  const mask = arrayOrNull(sample.loss_mask, `${path}loss_mask`);
  const responseTokens = lengthOf(sample.response_length, mask, `${path}response_length`);
  if (responseTokens > ids.length) {
    throw new Refused(`${path}response_length`, `at most ${ids.length}, as many as tokens`, String(responseTokens));
  }
  const promptTokens = ids.length - responseTokens;
  if (mask) sameLength(mask, `${path}loss_mask`, responseTokens, 'response tokens');
  const runs = mask ? runsOfMask(mask, `${path}loss_mask`, promptTokens) : wholeResponse(promptTokens, responseTokens);
  const field = `${path}rollout_log_probs`;
  const values = arrayOrNull(sample.rollout_log_probs, field);
  if (values) {
    sameLength(values, field, responseTokens, 'response tokens');
    checkNumbers(values, field);
  }
  const logprobs = values && { values, field, from: promptTokens };
  const calls = callsOfRuns(runs, { ids: packTokenIds(ids, `${path}tokens`), logprobs });
  const output = runs.filter(({ isOutput }) => isOutput);
  return { calls, isOneCompletion: output.length === 1 && output[0]?.length === responseTokens };
}

function wholeResponse(promptTokens: number, responseTokens: number): TokenRun[] {
  const runs = [
    { isOutput: false, length: promptTokens },
    { isOutput: true, length: responseTokens },
  ];
  return runs.filter(({ length }) => length > 0);
}

function lengthOf(value: JsonValue | undefined, mask: readonly JsonValue[] | null, field: string): number {
  if ((value === undefined || value === null) && mask !== null) return mask.length;
  const length = countOrNull(value);
  if (length === null) throw new Refused(field, 'a number of tokens', shown(value));
  return length;
}

export interface WeightsOfCalls {
  /** By call; empty: not known. */
  of(sampledCall: number): WeightSpanInit[];
  /** The spans say all that the versions do. */
  readonly isWhole: boolean;
}

/**
 * slime notes one version for each request. They are bound to tokens only where that can be done without a guess: one version
 * all over, or as many versions as completions. A completion of several requests (partial rollouts) does not say where each began.
 */
export function slimeWeights(value: JsonValue | undefined, path: string, sampledCalls: number): WeightsOfCalls {
  const versions = (arrayOrNull(value, `${path}weight_versions`) ?? []).map((version, i) => {
    const id = idOrNull(version, `${path}weight_versions[${i}]`);
    if (id === null) throw new Refused(`${path}weight_versions[${i}]`, 'a version', shown(version));
    return id;
  });
  const [first] = versions;
  const isOneEach = versions.length === sampledCalls;
  if (first === undefined || (!isOneEach && versions.some((version) => version !== first))) {
    return { of: () => [], isWhole: first === undefined };
  }
  return {
    of: (call) => [{ start: 0, version: isOneEach ? (versions[call] ?? first) : first }],
    isWhole: isOneEach,
  };
}
