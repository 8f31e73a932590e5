import type { Attempt } from '../model/attempt.ts';
import { type Audited, type Audits, auditOf } from '../model/audit-summary.ts';
import type { Scored } from '../model/judgement.ts';
import { joinAnswers } from './join-answers.ts';

/** What the audits of a lane say of an attempt, joined with what a tokenizer said, if it has. */
export function createAuditOf(audits: Audits): (attempt: Attempt, scored: Scored) => Audited {
  return (attempt, scored) => {
    const own = auditOf(audits, attempt, scored);
    return attempt.deep === null ? own : joinAnswers(own, attempt.deep);
  };
}
