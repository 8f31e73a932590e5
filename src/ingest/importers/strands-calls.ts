import type { JsonObject, JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, Refused, shown } from '../fields.ts';
import { packTokenIds, sameLength } from '../packed.ts';
import { type CallTokens, callsOfRuns, type TokenRun } from './flat-tokens.ts';
import type { StrandsTokens } from './strands-record.ts';

export interface CutRollout {
  readonly calls: readonly CallTokens[];
  /** The source does not say where calls end (legacy): cut where the mask changes. */
  readonly segmentsInferred: boolean;
  readonly rest: JsonObject;
}

/** The calls of a rollout, cut at its segments. */
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
  const flat = {
    ids: packTokenIds(ids, `${path}.token_ids`),
    logprobs: logs && { values: logs, field: `${path}.logprobs`, from: 0 },
  };
  return { calls: callsOfRuns(runs, flat), segmentsInferred: segments === null && ids.length > 0, rest };
}

function segmentRuns(segments: JsonValue[], field: string, tokens: number): TokenRun[] {
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

function maskRuns(mask: readonly JsonValue[]): TokenRun[] {
  const runs: TokenRun[] = [];
  for (let from = 0, to = 0; from < mask.length; from = to) {
    while (to < mask.length && mask[to] === mask[from]) to++;
    runs.push({ isOutput: mask[from] === 1, length: to - from });
  }
  return runs;
}

/** The mask has to say what the segments say: one of them is wrong otherwise, and nobody can tell which. */
function checkMask(mask: readonly JsonValue[], runs: readonly TokenRun[], field: string): void {
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
