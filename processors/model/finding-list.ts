import type { AuditAnswer, Found } from './audit-summary.ts';

/** Findings of one audit of one attempt: the first ones whole, the others by their number. */
export interface FindingList {
  /** Holds: at most `MOST_FINDINGS`. */
  readonly kept: Found[];
  /** Found beyond them, and how many of those fail. */
  more: number;
  moreFails: number;
}

export const MOST_FINDINGS = 64;

export function createFindingList(): FindingList {
  return { kept: [], more: 0, moreFails: 0 };
}

export function addFinding(list: FindingList, found: Found): void {
  if (list.kept.length < MOST_FINDINGS) {
    list.kept.push(found);
    return;
  }
  list.more += 1;
  if (found.severity === 'fail') list.moreFails += 1;
}

/** All of another list, in their order. */
export function addFindings(list: FindingList, { kept, more, moreFails }: FindingList): void {
  for (const found of kept) addFinding(list, found);
  list.more += more;
  list.moreFails += moreFails;
}

/** fail if one finding fails; else not_auditable where something was missing, with what was found all the same; else warn or pass. */
export function answerOfList(list: FindingList, missing: string | null): AuditAnswer {
  const findings = list.more === 0 ? list.kept : [...list.kept, moreOf(list)];
  if (findings.some(({ severity }) => severity === 'fail')) return { result: 'fail', findings, missing: null };
  if (missing !== null) return { result: 'not_auditable', findings, missing };
  return { result: findings.length > 0 ? 'warn' : 'pass', findings, missing: null };
}

function moreOf({ more, moreFails }: FindingList): Found {
  return {
    ...{ class: 'more_findings', severity: moreFails > 0 ? 'fail' : 'warn', turn: null, index: null },
    detail: `${more} more of them, of which ${moreFails} fail`,
  };
}
