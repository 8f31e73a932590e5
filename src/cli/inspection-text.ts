import type { TemplateRules } from '../../processors/audit/template/template-rules.ts';
import type { Tokenizer } from '../../processors/model/tokenizer.ts';
import type { InspectedTemplate, TokenizerInspection } from '../tokenizers/template/inspect-tokenizer.ts';
import type { Paint } from './paint.ts';
import { visible } from './table.ts';

const WIDTH = 20;
const UTF8 = new TextDecoder();

/** What `rollstream tokenizer inspect` tells a person. */
export function inspectionText(inspection: TokenizerInspection, tokenizer: Tokenizer, paint: Paint): string {
  const { rules, template, path, whyNotFast } = inspection;
  const line = (name: string, value: string): string => `${paint('dim', name.padEnd(WIDTH))}${visible(value)}`;
  const head = [
    line('tokenizer', inspection.folder),
    line('sha256', inspection.sha256),
    line('vocabulary', `${inspection.vocabulary} ids, ${inspection.addedTokens} of them added tokens`),
    line('encoded by', path === 'fast' ? 'the fast path' : `the library: ${whyNotFast}`),
    line('template', template === null ? 'none' : `sha256 ${template.sha256}`),
    line('rules', `${rules.name}: ${inspection.rulesFrom}`),
  ];
  const lines = [...head, '', ...ruleLines(rules, tokenizer).map(([name, value]) => line(name, value))];
  if (template !== null) lines.push('', ...growthLines(template, paint));
  return `${lines.join('\n')}\n`;
}

function ruleLines(rules: TemplateRules, tokenizer: Tokenizer): ReadonlyArray<readonly [string, string]> {
  const shown = (ids: readonly number[]): string =>
    ids.length === 0 ? 'nothing' : `${JSON.stringify(textOf(tokenizer, ids))} [${ids.join(', ')}]`;
  const { toolResult, defaultSystem, think, toolCall, anyRole } = rules;
  const roles = rules.roles.map(({ name }) => name).join(', ');
  return [
    ['BOS', rules.bosId === null ? 'none' : shown([rules.bosId])],
    ['turn opens with', shown([rules.turnOpenId])],
    ['roles', anyRole ? `${roles}, and any other` : roles],
    ['after the role', shown([...(rules.headerEndId === null ? [] : [rules.headerEndId]), ...rules.headerTextIds])],
    ['end of turn', shown([rules.endOfTurnId])],
    ['other ends', shown(rules.otherEosIds)],
    ['separator', shown(rules.separatorIds)],
    ['generation prompt', shown(rules.generationPromptIds)],
    ...rules.prefills.map(({ ids, vars }) => ['  then', `${shown(ids)} under ${JSON.stringify(vars)}`] as const),
    ['default system', defaultSystem === null ? 'none' : JSON.stringify(defaultSystem)],
    ['tool results', toolResult === null ? 'it has no way to write them' : resultText(toolResult)],
    ['tool calls', toolCall === null ? 'in plain text' : shown([toolCall.openId, toolCall.closeId])],
    ['think blocks', think === null ? 'none' : thinkText(rules, shown([think.openId, think.closeId]))],
  ];
}

function resultText({ role, openText, closeText }: NonNullable<TemplateRules['toolResult']>): string {
  const around = openText === '' ? '' : `, between ${JSON.stringify(openText)} and ${JSON.stringify(closeText)}`;
  return `a turn of role ${role}${around}`;
}

function thinkText({ stripsThink }: TemplateRules, tokens: string): string {
  return `${tokens}, ${stripsThink ? 'stripped from earlier turns' : 'kept in earlier turns'}`;
}

function growthLines({ breaks, refused, mend, unknownTokens }: InspectedTemplate, paint: Paint): string[] {
  const lines = [
    breaks.length === 0
      ? `${paint('green', 'append-only')}: each prompt begins with the one before it`
      : `${paint('red', 'not append-only')}: a prompt does not always begin with the one before it`,
  ];
  for (const { conversation, messages, added, before, after } of breaks)
    lines.push(
      `  ${conversation}: where message ${messages + 1} (${added}) is added`,
      `    was ${JSON.stringify(before)}`,
      `    is  ${JSON.stringify(after)}`,
    );
  for (const { conversation, reason } of refused) lines.push(visible(`  ${conversation}: ${reason}`));
  if (unknownTokens.length > 0)
    lines.push(paint('yellow', visible(`tokens it names that the vocabulary has not: ${unknownTokens.join(', ')}`)));
  if (mend !== null) lines.push('', `A patch that makes it append-only (${mend.says}):`, '', mend.patch.trimEnd());
  else if (breaks.length > 0)
    lines.push(
      '',
      'No patch is known. Append the ids of new messages to the ids that are held; render no history again.',
    );
  return lines;
}

function textOf(tokenizer: Tokenizer, ids: readonly number[]): string {
  return UTF8.decode(tokenizer.decode(Uint32Array.from(ids), 0, ids.length));
}
