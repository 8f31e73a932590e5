import { auditDeep, type DeepReport, type ReencodeCount } from '../../processors/audit/deep-audits.ts';
import { deepInputOf } from '../../processors/audit/deep-input-of.ts';
import { joinAnswers } from '../../processors/audit/join-answers.ts';
import type { Attempt } from '../../processors/model/attempt.ts';
import { type Audited, notAuditable } from '../../processors/model/audit-summary.ts';
import { type OpenKnowledge, openKnowledge } from '../deep-audits/open-knowledge.ts';
import type { RawTexts } from './attempt-texts.ts';

export interface DeepAudited {
  readonly audited: Audited;
  readonly reencode: ReencodeCount | null;
}

/** The audits that need a tokenizer, with some loaded. */
export interface DeepAudit {
  audit(attempt: Attempt, audited: Audited, texts: RawTexts | undefined): Promise<DeepAudited>;
  close(): Promise<void>;
}

export async function openDeepAudit(folders: readonly string[]): Promise<DeepAudit> {
  const opened: OpenKnowledge[] = [];
  for (const folder of folders) opened.push(await openKnowledge(folder));
  const byHash = new Map(opened.map((knowledge) => [knowledge.tokenizer.sha256, knowledge]));
  /** One that is given alone is meant for all: where a record names another, the audits refuse. */
  const alone = opened.length === 1 ? (opened[0] ?? null) : null;

  function look(attempt: Attempt, texts: RawTexts | undefined): DeepReport {
    const named = attempt.start?.tokenizer_sha256 ?? null;
    const knowledge = byHash.get(named ?? '') ?? alone;
    if (knowledge !== null) return auditDeep(deepInputOf(attempt, texts), knowledge);
    const answer = notAuditable(
      named === null
        ? 'which of the tokenizers it is: its start names none'
        : `its tokenizer ${named}: it is not given`,
    );
    return { answers: { template: answer, reencode: answer }, reencode: null };
  }

  return {
    async audit(attempt, audited, texts) {
      const { answers, reencode } = look(attempt, texts);
      return { audited: joinAnswers(audited, answers), reencode };
    },
    close: async () => {
      for (const knowledge of opened) knowledge.close();
    },
  };
}
