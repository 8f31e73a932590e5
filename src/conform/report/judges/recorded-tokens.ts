import { engineIds, recordIds } from '../evidence.ts';
import { commonLength } from '../next-prompt.ts';
import type { SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** The record holds the ids that were sampled, all of them. */
export const judgeRecordedIds: Judge = ({ turns, record }) =>
  record === null ? [] : turns.flatMap((turn) => judgeIds(turn) ?? []);

/** The record holds each token's own logprob, as a float32. */
export const judgeRecordedLogprobs: Judge = ({ turns, record }) =>
  record === null ? [] : turns.flatMap((turn) => judgeLogprobs(turn) ?? []);

function judgeIds({ turn, taken, recorded }: SeenTurn): Judgement | null {
  if (taken.status !== 200 || taken.completionIds.length === 0) return null;
  const ids = recorded?.completionIds ?? null;
  if (recorded === null || ids === null) return notObservable('recorded_ids', turn, 'the record has no ids of it');
  const at = commonLength(ids, taken.completionIds);
  if (at === ids.length && at === taken.completionIds.length)
    return faithful('recorded_ids', turn, `the record holds the ${at} ids that were sampled`);
  const detail =
    at === ids.length
      ? `the record holds ${ids.length} of ${taken.completionIds.length} sampled ids`
      : `the record holds other ids than were sampled, from token ${at} on`;
  return laundered('recorded_ids', 'other_ids', turn, detail, [engineIds(taken, at), recordIds(recorded, at)]);
}

function judgeLogprobs({ turn, taken, recorded }: SeenTurn): Judgement | null {
  const sent = taken.logprobs.map(Math.fround);
  if (taken.status !== 200 || sent.length === 0 || sent.length !== taken.completionIds.length) return null;
  const kept = recorded?.logprobs ?? null;
  if (kept === null) return notObservable('recorded_logprobs', turn, 'the record has no logprobs of it');
  const at = commonLength(kept, sent);
  if (at === sent.length && at === kept.length)
    return faithful('recorded_logprobs', turn, `the record holds the ${at} logprobs that were sent`);
  const detail = `sampled token ${at} has logprob ${sent[at] ?? 'none'}; the record holds ${kept[at] ?? 'none'}`;
  return laundered('recorded_logprobs', 'other_logprobs', turn, detail, [engineIds(taken, at)]);
}
