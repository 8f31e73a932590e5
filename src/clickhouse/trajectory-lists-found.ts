import type { TrajectoryInit } from '../../schemas/generated/trajectory.ts';

export const listSelect = `
  arrayZip(turns.turn, turns.segment_id, turns.start, turns.end, turns.call_id, turns.finish_reason, turns.temperature,
    turns.top_p, turns.logprobs_mode, turns.reward) AS turn,
  arrayZip(aux.turn, aux.name, aux.uri, aux.sha256, aux.shape, aux.dtype) AS aux_data,
  arrayZip(reasons.code, reasons.category, reasons.raw, reasons.system, reasons.detail,
    reasons.attribution, reasons.after_end) AS reason,
  arrayZip(verdicts.scorer, verdicts.scorer_version, verdicts.status, verdicts.rewards, verdicts.bound_to) AS verdict`;

type MaybeText = string | null;
type MaybeNumber = number | null;

/** Elements in the order of `listSelect`. */
export interface ListArrays {
  readonly turn: readonly [
    number,
    string,
    number,
    number,
    string,
    MaybeText,
    MaybeNumber,
    MaybeNumber,
    string,
    MaybeNumber,
  ][];
  readonly aux_data: readonly [number, string, string, MaybeText, number[], string][];
  readonly reason: readonly [string, string, string, string, MaybeText, MaybeText, boolean][];
  readonly verdict: readonly [string, string, string, Record<string, MaybeNumber>, MaybeNumber][];
}

export function listsOf(lists: ListArrays): Pick<TrajectoryInit, 'turns' | 'aux' | 'reasons' | 'verdicts'> {
  return {
    turns: lists.turn.map(
      ([turn, segment_id, start, end, call_id, finish_reason, temperature, top_p, logprobs_mode, reward]) => ({
        turn,
        segment_id,
        start,
        end,
        call_id,
        finish_reason,
        temperature,
        top_p,
        logprobs_mode,
        reward,
      }),
    ),
    aux: lists.aux_data.map(([turn, name, uri, sha256, shape, dtype]) => ({ turn, name, uri, sha256, shape, dtype })),
    reasons: lists.reason.map(([code, category, raw, system, detail, attribution, after_end]) => ({
      code,
      category,
      raw,
      system,
      detail,
      attribution,
      after_end,
    })),
    verdicts: lists.verdict.map(([scorer, scorer_version, status, rewards, bound_to]) => ({
      scorer,
      scorer_version,
      status,
      rewards,
      bound_to,
    })),
  };
}
