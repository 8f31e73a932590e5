import type { ReplayedUnit, UnitHistory } from '../model/replay.ts';

/** So many ids of prompts and completions that are all 0 are no text of any tokenizer. */
const TOO_MANY_ZEROS = 16;
const BYTES_A_TOKEN = 4;

/**
 * Rollouts whose token ids somebody has put zeros in the place of: their scores can be made again, a trainer would learn nothing but
 * zeros from them. null: there is none. Looks at a few bytes of each call that has others.
 */
export function tokensGone({ records }: Pick<UnitHistory, 'records'>): ReplayedUnit | null {
  const zeros = new Map<string, number>();
  for (const { event } of records) {
    const { model_call: call, rollout_id: rolloutId } = event;
    if (call === null) continue;
    for (const ids of [call.prompt_delta_ids, call.completion_ids]) {
      if (ids === null || ids.length === 0) continue;
      const before = zeros.get(rolloutId) ?? 0;
      zeros.set(rolloutId, ids.every(isZero) ? before + ids.length / BYTES_A_TOKEN : Number.NEGATIVE_INFINITY);
    }
  }
  const rollouts = [...zeros].filter(([, n]) => n >= TOO_MANY_ZEROS).map(([rolloutId]) => rolloutId);
  if (rollouts.length === 0) return null;
  return { kind: 'refused', reason: 'tokens_gone', detail: 'their token ids are all 0 in the store', rollouts };
}

function isZero(byte: number): boolean {
  return byte === 0;
}
