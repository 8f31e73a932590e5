import { compareRendered } from '../../../processors/audit/template/compare-rendered.ts';
import type { TemplateRules } from '../../../processors/audit/template/template-rules.ts';
import { type AuditAnswer, notAuditable } from '../../../processors/model/audit-summary.ts';
import type { Tokenizer } from '../../../processors/model/tokenizer.ts';
import { RollstreamError } from '../../errors.ts';
import type { Renderer } from './create-renderer.ts';

export interface RenderComparison {
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[] | null;
  /** Template variables as they were recorded; empty: none were. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Whole prompt of the call, with its generation prompt. */
  readonly recordedIds: Uint32Array;
  readonly turn: number;
  readonly rules: TemplateRules;
  readonly tokenizer: Tokenizer;
  readonly render: Renderer['render'];
}

/** Renders the messages of a prompt again, and compares. What the template cannot render, or renders otherwise every day, is not auditable. */
export async function compareRender(comparison: RenderComparison): Promise<AuditAnswer> {
  const { messages, tools, vars, recordedIds, turn, rules, tokenizer, render } = comparison;
  try {
    const { text, askedForToday } = await render({ messages, tools, vars, addGenerationPrompt: true });
    if (askedForToday)
      return notAuditable('the date that the prompt was rendered on: the template writes today, and none was recorded');
    return compareRendered({ recordedIds, renderedIds: tokenizer.encode(text), turn, rules, tokenizer });
  } catch (error) {
    if (error instanceof RollstreamError && /^RS_TEMPLATE_/.test(error.code)) return notAuditable(error.message);
    throw error;
  }
}
