import { type AuditAnswer, notAuditable } from '../../model/audit-summary.ts';
import type { DeepInput } from '../../model/deep-input.ts';
import { answerOfList, createFindingList } from '../../model/finding-list.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { checkBoundaries } from './check-boundaries.ts';
import { checkForgery } from './check-forgery.ts';
import { checkGenerationPrompt } from './check-generation-prompt.ts';
import { checkRewrites } from './check-rewrites.ts';
import { checkSampled } from './check-sampled.ts';
import { checkStart } from './check-start.ts';
import { checkTexts } from './check-texts.ts';
import { checkThink } from './check-think.ts';
import { checkToolTurns } from './check-tool-turns.ts';
import { type SegmentView, viewOf } from './segment-view.ts';
import type { TemplateRules } from './template-rules.ts';

const CHECKS: ReadonlyArray<(view: SegmentView) => void> = [
  checkStart,
  checkBoundaries,
  checkForgery,
  checkGenerationPrompt,
  checkSampled,
  checkThink,
  checkToolTurns,
  checkTexts,
];

/**
 * What stands between messages, from special ids, the recorded lengths and the decoder alone: nothing is rendered again.
 * `rules` null: none are known for this tokenizer.
 */
export function auditTemplate(input: DeepInput, tokenizer: Tokenizer, rules: TemplateRules | null): AuditAnswer {
  if (rules === null) return notAuditable('no template rules for this tokenizer');
  const refusal = refusalOf(input, tokenizer, rules);
  if (refusal !== null) return notAuditable(refusal);
  const list = createFindingList();
  const views = new Map(
    input.segments.map((segment) => [segment.id, viewOf(input, segment, rules, tokenizer, list)] as const),
  );
  const all = [...views.values()];
  if (!all.some(({ ids }) => ids.length > 0)) return notAuditable('no token ids');
  if (!all.some(({ turns }) => turns.length > 0))
    return notAuditable(`no turn of ${rules.name} in the ids: no chat template was used, or another one`);
  for (const view of all) {
    if (view.ids.length === 0) continue;
    for (const check of CHECKS) check(view);
    const parent = view.segment.parentId === null ? undefined : views.get(view.segment.parentId);
    if (parent !== undefined) checkRewrites(parent, view);
  }
  return answerOfList(list, null);
}

/** Another tokenizer or template gives another answer: it is refused, never measured. */
function refusalOf(input: DeepInput, tokenizer: Tokenizer, rules: TemplateRules): string | null {
  const { tokenizerSha256, templateSha256 } = input;
  if (tokenizerSha256 !== null && tokenizerSha256 !== tokenizer.sha256)
    return `the tokenizer of the record: it is ${tokenizerSha256}, this one is ${tokenizer.sha256}`;
  if (templateSha256 !== null && rules.templateSha256 !== null && templateSha256 !== rules.templateSha256)
    return `the chat template of the record: it is ${templateSha256}, this one is ${rules.templateSha256}`;
  return null;
}
