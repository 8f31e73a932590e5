import type { ChangedAttempt, DecidedAs } from '../../../processors/replay/diff-tally.ts';

/** What changed about an attempt, field by field: `was → now`, or one value where it is the same. */
export interface ChangeWords {
  readonly rollout: string;
  readonly reason: string;
  readonly disposition: string;
  readonly reward: string;
  readonly advantage: string;
}

export function changeWords(one: ChangedAttempt): ChangeWords {
  const { before, after } = one;
  const rollout = one.attempt === 0 ? one.rollout_id : `${one.rollout_id} attempt ${one.attempt}`;
  const field = (of: (side: DecidedAs) => string) => both(before === null ? null : of(before), after && of(after));
  return {
    rollout,
    reason: field(({ reason_code, category }) => `${reason_code} (${category})`),
    disposition: dispositionWords(one),
    reward: field(({ reward }) => numberText(reward)),
    advantage: field(({ advantage }) => numberText(advantage)),
  };
}

function dispositionWords({ before, after, refused }: ChangedAttempt): string {
  if (after === null) return `${before?.disposition} → not opened: ${refused}`;
  if (before?.disposition === after.disposition) return after.disposition;
  return `${both(before === null ? null : before.disposition, after.disposition)}: ${after.why}`;
}

/** At most six digits; null is not 0. */
export function numberText(value: number | null): string {
  return value === null ? 'null' : String(Number(value.toPrecision(6)));
}

function both(before: string | null, after: string | null): string {
  if (before === null) return `→ ${after}`;
  if (after === null) return before;
  return before === after ? before : `${before} → ${after}`;
}
