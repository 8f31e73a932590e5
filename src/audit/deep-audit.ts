import { auditDeep, type ReencodeCount } from '../../processors/audit/deep-audits.ts';
import { deepInputOf } from '../../processors/audit/deep-input-of.ts';
import { joinAnswers } from '../../processors/audit/join-answers.ts';
import type { Attempt } from '../../processors/model/attempt.ts';
import type { Audited } from '../../processors/model/audit-summary.ts';
import { openKnowledge } from '../deep-audits/open-knowledge.ts';
import type { AttemptTexts } from './attempt-texts.ts';

export interface DeepAudited {
  readonly audited: Audited;
  readonly reencode: ReencodeCount | null;
}

/** The audits that need a tokenizer, with one loaded. */
export interface DeepAudit {
  audit(attempt: Attempt, audited: Audited, texts: AttemptTexts | null): Promise<DeepAudited>;
  close(): Promise<void>;
}

export async function openDeepAudit(folder: string): Promise<DeepAudit> {
  const knowledge = await openKnowledge(folder);
  return {
    async audit(attempt, audited, texts) {
      const { answers, reencode } = auditDeep(deepInputOf(attempt, texts?.rawTexts), knowledge);
      return { audited: joinAnswers(audited, answers), reencode };
    },
    close: async () => knowledge.close(),
  };
}
