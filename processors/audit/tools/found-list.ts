import type { Found } from '../../model/audit-summary.ts';
import type { MoreFindings } from '../../model/tools-watch.ts';
import { detached } from './around.ts';

const MOST_FINDINGS = 64;

/** Findings of an attempt: the first ones, and how many more. */
export interface FoundList {
  readonly findings: Found[];
  more: MoreFindings | null;
}

type Head = Pick<Found, 'class' | 'severity' | 'turn' | 'index'>;

/** Adds a finding; once there are enough, it is only counted, and nobody asks for its words. */
export function addFound(
  list: FoundList,
  { class: name, severity, turn, index }: Head,
  tell: () => Pick<Found, 'detail' | 'evidence'>,
): void {
  if (list.findings.length < MOST_FINDINGS) {
    const { detail, evidence } = tell();
    const found = { class: name, severity, turn, index, detail: detached(detail) };
    list.findings.push(evidence === undefined ? found : { ...found, evidence });
    return;
  }
  list.more ??= { byClass: new Map(), fails: false };
  list.more.byClass.set(name, (list.more.byClass.get(name) ?? 0) + 1);
  list.more.fails ||= severity === 'fail';
}

/** All that is kept, and one more finding for what is not. */
export function foundIn({ findings, more }: FoundList): readonly Found[] {
  if (more === null) return findings;
  const counts = [...more.byClass].map(([name, count]) => `${count} × ${name}`);
  const severity = more.fails ? 'fail' : 'warn';
  const detail = `more findings than are kept: ${counts.join(', ')}`;
  return [...findings, { class: 'more_findings', severity, turn: null, index: null, detail }];
}
