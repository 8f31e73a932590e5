import { type AuditAnswer, answerOf, type Found } from '../../processors/model/audit-summary.ts';

/** What a rendering found, beside what was found without one. A class that a turn has already is told once. */
export function joinRendered(answer: AuditAnswer, found: readonly Found[]): AuditAnswer {
  const fresh = found.filter(
    (one) => !answer.findings.some(({ class: name, turn }) => name === one.class && turn === one.turn),
  );
  return fresh.length === 0 ? answer : answerOf([...answer.findings, ...fresh]);
}
