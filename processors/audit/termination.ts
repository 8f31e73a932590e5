import type { Audit, Found } from '../model/audit-summary.ts';
import { addFinding, answerOfList, createFindingList } from '../model/finding-list.ts';
import type { ConflictClass, Scored } from '../model/judgement.ts';

/** Why the loop ended, as far as the facts agree. Calls without a result are the tools audit's, which knows their turns. */
export const auditTermination: Audit = (attempt, scored) => {
  const findings = createFindingList();
  // One a class: a row of `audits` has no more of a place to tell two apart by.
  const texts = new Map<ConflictClass, string[]>();
  for (const { class: name, text } of scored.conflicts)
    if (name !== 'unanswered_calls') texts.set(name, [...(texts.get(name) ?? []), text]);
  for (const [name, all] of texts) addFinding(findings, findingOf(name, all));
  // Without an end, one that the pipeline found itself (a worker that was lost) is why; without that, nobody said.
  const isUnsaid = attempt.end === null && scored.reasons.length === 0;
  if (scored.code === 'unknown' && !isUnsaid) addFinding(findings, unknownOf(scored));
  return answerOfList(findings, isUnsaid ? 'no end event' : null);
};

function findingOf(name: ConflictClass, texts: readonly string[]): Found {
  const fails = name === 'termination_conflict' || name === 'steps_after_end';
  return {
    class: name,
    severity: fails ? 'fail' : 'warn',
    turn: null,
    index: null,
    detail: texts.join('; ').slice(0, MOST_DETAIL),
  };
}

function unknownOf({ reasons }: Scored): Found {
  const unmapped = reasons.find(({ code }) => code === 'unknown');
  const detail =
    unmapped === undefined
      ? 'its end gives no reason'
      : `the taxonomy does not map ${JSON.stringify(unmapped.raw.slice(0, MOST_TEXT))} of ${unmapped.system}`;
  return { class: 'unknown_reason', severity: 'warn', turn: null, index: null, detail };
}

const MOST_TEXT = 400;
const MOST_DETAIL = 2000;
