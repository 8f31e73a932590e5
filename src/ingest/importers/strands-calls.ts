import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, Refused, shown } from '../fields.ts';
import { packLogprobs, packTokenIds, sameLength } from '../packed.ts';
import type { StrandsTokens } from './strands-record.ts';

/** The token side of one model call, cut from the flat arrays of a rollout. */
export interface CallTokens {
  readonly tokens: Required<
    Pick<ModelCallInit, 'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'>
  >;
  /** Sampled tokens without a logprob, by position. */
  readonly missingLogprobs: readonly number[];
  /** Input that no output follows: the engine was given it, or was about to be, and sampled nothing. */
  readonly trailing: boolean;
}

export interface CutRollout {
  readonly calls: readonly CallTokens[];
  /** The source does not say where calls end (legacy): cut where the mask changes. */
  readonly segmentsInferred: boolean;
  readonly rest: JsonObject;
}

interface Run {
  readonly isOutput: boolean;
  readonly length: number;
}

/**
 * One call for each output run, whose prompt is the input before it. Input at the very end becomes a call with an empty
 * completion: so every token stays at its place, and nothing is sampled that was not.
 */
export function cutRollout({ path, value }: StrandsTokens): CutRollout {
  const {
    token_ids,
    loss_mask,
    logprobs,
    segment_info,
    routed_experts: _experts,
    image_data: _images,
    ...rest
  } = value;
  const ids = arrayOrNull(token_ids, `${path}.token_ids`) ?? [];
  const mask = arrayOrNull(loss_mask, `${path}.loss_mask`) ?? [];
  const logs = arrayOrNull(logprobs, `${path}.logprobs`);
  sameLength(mask, `${path}.loss_mask`, ids.length);
  if (logs) sameLength(logs, `${path}.logprobs`, ids.length);
  const segments = arrayOrNull(segment_info, `${path}.segment_info`);
  const runs = segments ? segmentRuns(segments, `${path}.segment_info`, ids.length) : maskRuns(mask);
  checkMask(mask, runs, `${path}.loss_mask`);
  return { calls: callsOf(runs, ids, logs, path), segmentsInferred: segments === null && ids.length > 0, rest };
}

function callsOf(runs: readonly Run[], ids: JsonValue[], logs: JsonValue[] | null, path: string): CallTokens[] {
  const calls: CallTokens[] = [];
  let promptFrom = 0;
  let at = 0;
  for (const [i, run] of runs.entries()) {
    const outputFrom = run.isOutput ? at : at + run.length;
    at += run.length;
    const trailing = !run.isOutput && i === runs.length - 1;
    if (!run.isOutput && !trailing) continue;
    const packed = logs && packLogprobs(logs, `${path}.logprobs`, outputFrom, at);
    calls.push({
      tokens: {
        prompt_prefix_len: promptFrom,
        prompt_delta_ids: packTokenIds(ids, `${path}.token_ids`, promptFrom, outputFrom),
        completion_ids: packTokenIds(ids, `${path}.token_ids`, outputFrom, at),
        completion_logprobs: packed?.bytes ?? null,
      },
      missingLogprobs: packed?.missing ?? [],
      trailing,
    });
    promptFrom = at;
  }
  return calls;
}

function segmentRuns(segments: JsonValue[], field: string, tokens: number): Run[] {
  let sum = 0;
  const runs = segments.map((segment, i) => {
    const [isOutput, length] = arrayAt(segment, `${field}[${i}]`);
    if (typeof isOutput !== 'boolean') throw new Refused(`${field}[${i}][0]`, 'true or false', shown(isOutput));
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
      throw new Refused(`${field}[${i}][1]`, 'a number of tokens', shown(length));
    }
    sum += length;
    return { isOutput, length };
  });
  if (sum === tokens) return runs;
  throw new Refused(field, `${tokens} tokens in all`, `${sum}`, `segments of ${sum} tokens for ${tokens} token_ids`);
}

function maskRuns(mask: readonly JsonValue[]): Run[] {
  const runs: Run[] = [];
  for (let from = 0, to = 0; from < mask.length; from = to) {
    while (to < mask.length && mask[to] === mask[from]) to++;
    runs.push({ isOutput: mask[from] === 1, length: to - from });
  }
  return runs;
}

/** The mask has to say what the segments say: one of them is wrong otherwise, and nobody can tell which. */
function checkMask(mask: readonly JsonValue[], runs: readonly Run[], field: string): void {
  let at = 0;
  for (const { isOutput, length } of runs) {
    const expected = isOutput ? 1 : 0;
    for (const end = at + length; at < end; at++) {
      if (mask[at] === expected) continue;
      const place = isOutput ? 'an output segment' : 'an input segment';
      throw new Refused(`${field}[${at}]`, `${expected} in ${place}`, shown(mask[at]));
    }
  }
}
