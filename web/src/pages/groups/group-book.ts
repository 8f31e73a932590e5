import { numberOf, type Row, textOf } from '../../api/rows.ts';

/** States of a group, and what each says of it. */
export const STATES: Readonly<Record<string, string>> = {
  complete: 'As many members went to ready as the group was to have.',
  partial: 'Fewer members went to ready than the group was to have: a deadline or a fault took the others.',
  rejected: 'No member went to ready.',
  open: 'It still waits for members.',
  unsized: 'Nobody said how many members there were to be: they pass one by one, without advantage.',
  zero_variance: 'All rewards in the baseline are the same, so that each advantage is 0: it teaches nothing.',
};

/** Those with `state`, which may be zero_variance beside its state; empty: all. */
export function inState(rows: readonly Row[], state: string): readonly Row[] {
  if (state === '') return rows;
  return rows.filter((row) => (state === 'zero_variance' ? isZeroVariance(row) : textOf(row, 'state') === state));
}

export function isZeroVariance(row: Row): boolean {
  return row.is_zero_variance === true;
}

/** What one group's advantages were computed from; null: from nothing. */
export interface GroupStats {
  readonly baseline: string;
  readonly n: number;
  readonly mean: number | null;
  readonly std: number | null;
}

export function statsOf(members: readonly Row[]): GroupStats | null {
  const told = members.find((member) => textOf(member, 'group_baseline') !== '');
  if (told === undefined) return null;
  return {
    baseline: textOf(told, 'group_baseline'),
    n: numberOf(told, 'group_n') ?? 0,
    mean: numberOf(told, 'group_mean'),
    std: numberOf(told, 'group_std'),
  };
}

const RULES: Readonly<Record<string, string>> = {
  grpo: '(reward − mean) / (std + eps)',
  grpo_without_std: 'reward − mean',
  mean: 'reward − mean',
  leave_one_out: 'reward − mean of the others',
  none: 'none is computed',
};

/** How an advantage follows from a reward; empty: the rule is not known here. */
export function ruleWords(baseline: string): string {
  return RULES[baseline] ?? '';
}
