import type { StepEvent, Verdict } from '../../schemas/generated/step-event.ts';
import type { Attempt, HeldVerdict } from '../model/attempt.ts';
import { factsOf } from '../model/attempt-facts.ts';

/** In its place among the others: two scorers answer in any order, and no sum may change in its last bit by it. */
export function foldVerdict(attempt: Attempt, verdict: Verdict): void {
  const held = heldVerdict(verdict);
  let place = attempt.verdicts.findIndex((other) => compare(held, other) < 0);
  if (place < 0) place = attempt.verdicts.length;
  attempt.verdicts.splice(place, 0, held);
}

/** The answer that was accepted before to the same question (scorer, version, turn), and whether it is the same; null: none. */
export function priorAnswer(attempt: Attempt, event: StepEvent): { readonly same: boolean } | null {
  if (event.verdict === null || (attempt.verdicts.length === 0 && attempt.early.length === 0)) return null;
  const held = heldVerdict(event.verdict);
  const early = attempt.early.flatMap((waiting) => (waiting.event.verdict === null ? [] : waiting.event.verdict));
  const prior = [...attempt.verdicts, ...early.map(heldVerdict)].find((other) => compare(held, other) === 0);
  return prior === undefined ? null : { same: isSame(held, prior) };
}

/** A verifier that is asked twice and says two things has said nothing that can be relied on: flagged, as a step behind the end is. */
export function noteContradiction(attempt: Attempt, { verdict }: Pick<StepEvent, 'verdict'>): void {
  factsOf(attempt).contradictedScorer = `${verdict?.scorer}@${verdict?.scorer_version}`;
  attempt.judged = null;
}

function heldVerdict({ scorer, scorer_version, status, rewards, bound_to }: Verdict): HeldVerdict {
  const notFinite = Object.keys(rewards).filter((name) => !isFiniteOrNull(rewards[name]));
  return {
    scorer,
    scorerVersion: scorer_version,
    status,
    rewards: notFinite.length === 0 ? rewards : finiteOnly(rewards),
    notFinite: notFinite.length === 0 ? NONE : notFinite,
    boundTo: bound_to,
  };
}

/** One for all: most verdicts have none. */
const NONE: readonly string[] = [];

/** NaN never leaves: what is not finite is null. */
function finiteOnly(rewards: Verdict['rewards']): Verdict['rewards'] {
  return Object.fromEntries(
    Object.entries(rewards).map(([name, value]) => [name, isFiniteOrNull(value) ? value : null]),
  );
}

function isFiniteOrNull(value: number | null | undefined): boolean {
  return value === null || Number.isFinite(value);
}

function compare(a: HeldVerdict, b: HeldVerdict): number {
  if (a.scorer !== b.scorer) return a.scorer < b.scorer ? -1 : 1;
  if (a.scorerVersion !== b.scorerVersion) return a.scorerVersion < b.scorerVersion ? -1 : 1;
  if (a.boundTo === null || b.boundTo === null) return a.boundTo === b.boundTo ? 0 : a.boundTo === null ? -1 : 1;
  return a.boundTo - b.boundTo;
}

function isSame(a: HeldVerdict, b: HeldVerdict): boolean {
  const ours = Object.entries(a.rewards);
  return (
    a.status === b.status &&
    ours.length === Object.keys(b.rewards).length &&
    ours.every(([name, value]) => Object.hasOwn(b.rewards, name) && b.rewards[name] === value)
  );
}
