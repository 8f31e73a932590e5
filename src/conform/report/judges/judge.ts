import type { Seen } from '../seen.ts';
import type { CheckName, Evidence, Judgement, Verdict } from '../verdict.ts';

/** What can be said of a conversation in one respect; nothing: it does not come up. */
export type Judge = (seen: Seen) => readonly Judgement[];

export function faithful(
  check: CheckName,
  turn: number,
  detail: string,
  evidence: readonly Evidence[] = [],
): Judgement {
  return judgement(check, 'faithful', null, turn, detail, evidence);
}

export function laundered(
  check: CheckName,
  as: string,
  turn: number,
  detail: string,
  evidence: readonly Evidence[],
): Judgement {
  return judgement(check, 'laundered', as, turn, detail, evidence);
}

export function notObservable(
  check: CheckName,
  turn: number,
  detail: string,
  evidence: readonly Evidence[] = [],
): Judgement {
  return judgement(check, 'not_observable', null, turn, detail, evidence);
}

function judgement(
  check: CheckName,
  verdict: Verdict,
  as: string | null,
  turn: number,
  detail: string,
  evidence: readonly Evidence[],
): Judgement {
  return { check, verdict, class: as, turn, detail, evidence };
}
