import type { ExplainedAttempt, JsonRow } from '../../../../src/access/explanation.ts';
import { textOrEmpty } from './text-or-empty.ts';

/** A row of `audits` that found something. */
export interface Finding {
  readonly audit: string;
  readonly class: string;
  readonly severity: 'fail' | 'warn';
  /** Model call; null: none. */
  readonly turn: number | null;
  /** Token of its segment, or character of the call's text (see `isOfCharacters`); null: none. */
  readonly index: number | null;
  readonly detail: string;
  readonly ids: readonly number[];
  readonly expectedIds: readonly number[];
  readonly text: string;
  readonly expectedText: string;
}

/** Those that fail first, each in the order of the rollout. */
export function findingsOf({ audits }: Pick<ExplainedAttempt, 'audits'>): Finding[] {
  const found = audits.filter((row) => typeof row.class === 'string' && row.class !== '').map(findingOf);
  return found.sort(
    (a, b) => rank(a) - rank(b) || (a.turn ?? -1) - (b.turn ?? -1) || (a.index ?? -1) - (b.index ?? -1),
  );
}

/** The tools audit reads the text of a call, and so does the one class of the tokens audit that compares texts. */
export function isOfCharacters({ audit, class: name }: Pick<Finding, 'audit' | 'class'>): boolean {
  return audit === 'tools' || name === 'render_drift';
}

export function findingOf(row: JsonRow): Finding {
  return {
    audit: textOrEmpty(row.audit),
    class: textOrEmpty(row.class),
    severity: row.severity === 'fail' ? 'fail' : 'warn',
    turn: place(row.turn),
    index: place(row.index),
    detail: textOrEmpty(row.detail),
    ids: numbers(row.ids),
    expectedIds: numbers(row.expected_ids),
    text: textOrEmpty(row.text),
    expectedText: textOrEmpty(row.expected_text),
  };
}

function rank({ severity }: Finding): number {
  return severity === 'fail' ? 0 : 1;
}

/** The store says -1 for none. */
function place(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'number') : [];
}
