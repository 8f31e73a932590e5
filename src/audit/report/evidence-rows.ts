import type { Evidence } from '../../../processors/model/audit-summary.ts';

/** What was there and what should have been, one above the other. */
export interface EvidenceRow {
  readonly name: 'got' | 'expected';
  readonly ids: readonly number[] | null;
  readonly text: string | null;
}

export function evidenceRows(evidence: Evidence | undefined): EvidenceRow[] {
  if (evidence === undefined) return [];
  const { ids, text, expectedIds, expectedText } = evidence;
  const rows: EvidenceRow[] = [
    { name: 'got', ids: ids ?? null, text: text ?? null },
    { name: 'expected', ids: expectedIds ?? null, text: expectedText ?? null },
  ];
  return rows.filter((row) => row.ids !== null || row.text !== null);
}

/** Index of the first id that differs; -1: none does, or there is nothing to compare. */
export function firstDifference([got, expected]: readonly EvidenceRow[]): number {
  if (!got?.ids || !expected?.ids) return -1;
  const length = Math.min(got.ids.length, expected.ids.length);
  for (let i = 0; i < length; i++) if (got.ids[i] !== expected.ids[i]) return i;
  return got.ids.length === expected.ids.length ? -1 : length;
}
