import type { TemplateRules } from '../../../processors/audit/template/template-rules.ts';
import { RollstreamError } from '../../errors.ts';
import type { LoadedTokenizer } from '../load-tokenizer.ts';
import { createRenderer } from './create-renderer.ts';
import { deriveTemplateRules } from './derive-template-rules.ts';
import type { TemplateGrowth } from './find-breaks.ts';
import { type Mend, mendTemplate } from './mend-template.ts';
import { rulesOf } from './rules-of.ts';

/** All that a folder was found to hold. */
export interface TokenizerInspection {
  readonly folder: string;
  readonly sha256: string;
  readonly vocabulary: number;
  readonly addedTokens: number;
  readonly path: LoadedTokenizer['path'];
  readonly whyNotFast: string | null;
  readonly template: InspectedTemplate | null;
  readonly rules: TemplateRules;
  readonly rulesFrom: string;
}

export interface InspectedTemplate extends TemplateGrowth {
  readonly sha256: string;
  readonly unknownTokens: readonly string[];
  /** A patch after which prompts only ever grow; null: none is needed, or none is known. */
  readonly mend: Mend | null;
}

/** Throws RS_TEMPLATE_FAILED or RS_TEMPLATE_LIMIT where no rules can be had. */
export async function inspectTokenizer(tokenizer: LoadedTokenizer): Promise<TokenizerInspection> {
  const { folder, sha256, size, added, path, whyNotFast, templateText, config } = tokenizer;
  const loaded = { folder, sha256, vocabulary: size, addedTokens: added.size, path, whyNotFast };
  if (templateText === null) {
    const { rules, says } = await rulesOf(tokenizer);
    if (rules === null) throw new RollstreamError('RS_TEMPLATE_FAILED', `${folder}: ${says}`, { facts: { folder } });
    return { ...loaded, template: null, rules, rulesFrom: says };
  }
  const renderer = createRenderer(templateText, config);
  try {
    const { rules, growth, unknownTokens } = await deriveTemplateRules(tokenizer, templateText, renderer);
    const mend = growth.breaks.length === 0 ? null : await mendTemplate(templateText, config);
    const template = { sha256: rules.templateSha256 ?? '', unknownTokens, mend, ...growth };
    return { ...loaded, template, rules, rulesFrom: 'derived from the chat template' };
  } catch (error) {
    if (!(error instanceof RollstreamError)) throw error;
    throw new RollstreamError(error.code, `${folder}: ${error.message}`, { cause: error, facts: { folder } });
  } finally {
    await renderer.close();
  }
}
