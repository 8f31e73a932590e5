import { auditDeep, type ReencodeCount } from '../../processors/audit/deep-audits.ts';
import { deepInputOf } from '../../processors/audit/deep-input-of.ts';
import { joinAnswers } from '../../processors/audit/join-answers.ts';
import type { Attempt } from '../../processors/model/attempt.ts';
import { type Audited, notAuditable } from '../../processors/model/audit-summary.ts';
import { type OpenKnowledge, openKnowledge } from '../deep-audits/open-knowledge.ts';
import type { AttemptMessages } from './attempt-messages.ts';
import type { RawTexts } from './attempt-texts.ts';
import { createRerender, type Rerender } from './create-rerender.ts';
import { joinRendered } from './join-rendered.ts';
import type { RerenderCount } from './rerender-count.ts';

export interface DeepAudited {
  readonly audited: Audited;
  readonly reencode: ReencodeCount | null;
  /** null: no prompt could be looked at. */
  readonly rerender: RerenderCount | null;
}

/** What was noted of an attempt while its events passed. */
export interface AttemptNotes {
  readonly texts: RawTexts | undefined;
  readonly messages: AttemptMessages | undefined;
}

/** The audits that need a tokenizer, with some loaded. */
export interface DeepAudit {
  audit(attempt: Attempt, audited: Audited, notes: AttemptNotes): Promise<DeepAudited>;
  close(): Promise<void>;
}

export async function openDeepAudit(folders: readonly string[]): Promise<DeepAudit> {
  const opened: Array<{ readonly knowledge: OpenKnowledge; readonly rerender: Rerender }> = [];
  for (const folder of folders) {
    const knowledge = await openKnowledge(folder);
    opened.push({ knowledge, rerender: createRerender(knowledge.tokenizer, knowledge.rules) });
  }
  const byHash = new Map(opened.map((one) => [one.knowledge.tokenizer.sha256, one]));
  /** One that is given alone is meant for all: where a record names another, the audits refuse. */
  const alone = opened.length === 1 ? (opened[0] ?? null) : null;

  return {
    async audit(attempt, audited, { texts, messages }) {
      const named = attempt.start?.tokenizer_sha256 ?? null;
      const known = byHash.get(named ?? '') ?? alone;
      if (known === null) {
        const answer = notAuditable(
          named === null
            ? 'which of the tokenizers it is: its start names none'
            : `its tokenizer ${named}: it is not given`,
        );
        return {
          audited: joinAnswers(audited, { template: answer, reencode: answer }),
          ...{ reencode: null, rerender: null },
        };
      }
      const input = deepInputOf(attempt, texts);
      const { answers, reencode } = auditDeep(input, known.knowledge);
      // Another tokenizer or template, or none of it in the ids: rendered again, all would differ.
      if (answers.template === undefined || answers.template.result === 'not_auditable')
        return { audited: joinAnswers(audited, answers), reencode, rerender: null };
      const { count, found } = await known.rerender.of(input, messages);
      const template = joinRendered(answers.template, found);
      return { audited: joinAnswers(audited, { ...answers, template }), reencode, rerender: count };
    },
    close: async () => {
      for (const { knowledge, rerender } of opened) {
        await rerender.close();
        knowledge.close();
      }
    },
  };
}
