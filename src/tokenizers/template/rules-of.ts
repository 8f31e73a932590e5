import { shippedRulesFor } from '../../../processors/audit/template/shipped-rules.ts';
import type { TemplateRules } from '../../../processors/audit/template/template-rules.ts';
import { RollstreamError } from '../../errors.ts';
import type { LoadedTokenizer } from '../load-tokenizer.ts';
import { createRenderer } from './create-renderer.ts';
import { deriveTemplateRules } from './derive-template-rules.ts';

export interface KnownRules {
  /** null: no rules, and the template audit is not auditable. */
  readonly rules: TemplateRules | null;
  /** One sentence. */
  readonly says: string;
}

/** Rules for a tokenizer: read off its template; without one, the shipped ones of its family. */
export async function rulesOf(
  tokenizer: Pick<LoadedTokenizer, 'templateText' | 'config'> & Parameters<typeof deriveTemplateRules>[0],
): Promise<KnownRules> {
  const { templateText, config } = tokenizer;
  if (templateText === null) {
    const rules = shippedRulesFor(tokenizer);
    return rules === null
      ? { rules, says: 'there is no chat template, and the vocabulary is of no family that rules are shipped for' }
      : { rules, says: `there is no chat template: the shipped rules of ${rules.name} are used` };
  }
  const renderer = createRenderer(templateText, config);
  try {
    const { rules } = await deriveTemplateRules(tokenizer, templateText, renderer);
    return { rules, says: 'derived from the chat template' };
  } catch (error) {
    // Rules of the same family may not be those of this template: none are better than the nearest.
    if (error instanceof RollstreamError && /^RS_TEMPLATE_/.test(error.code))
      return { rules: null, says: error.message };
    throw error;
  } finally {
    await renderer.close();
  }
}
