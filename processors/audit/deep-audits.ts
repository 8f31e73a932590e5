import type { DeepAnswers, DeepInput } from '../model/deep-input.ts';
import type { Tokenizer } from '../model/tokenizer.ts';
import { auditToolsDeep } from './audit-tools-deep.ts';
import { auditReencode } from './reencode/audit-reencode.ts';
import { auditTokensDeep } from './reencode/audit-tokens-deep.ts';
import { auditTemplate } from './template/audit-template.ts';
import type { TemplateRules } from './template/template-rules.ts';

/** What is known of the model whose attempts are looked at. */
export interface DeepKnowledge {
  readonly tokenizer: Tokenizer;
  /** null: of a family that nobody wrote down, and without a template to derive them from. */
  readonly rules: TemplateRules | null;
}

/** Sampled chunks that were decoded and encoded again. */
export interface ReencodeCount {
  readonly chunks: number;
  readonly drifted: number;
  readonly tokens: number;
}

export interface DeepReport {
  readonly answers: DeepAnswers;
  /** null: nothing could be encoded again. */
  readonly reencode: ReencodeCount | null;
}

/** All audits that need a tokenizer. */
export function auditDeep(input: DeepInput, { tokenizer, rules }: DeepKnowledge): DeepReport {
  const { chunks, drifted, tokens, ...reencode } = auditReencode(input, tokenizer);
  const tools = auditToolsDeep(input, tokenizer);
  return {
    answers: {
      tokens: auditTokensDeep(input, tokenizer),
      template: auditTemplate(input, tokenizer, rules),
      reencode,
      ...(tools === undefined ? {} : { tools }),
    },
    reencode: reencode.result === 'not_auditable' ? null : { chunks, drifted, tokens },
  };
}
