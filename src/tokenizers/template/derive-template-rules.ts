import { createHash } from 'node:crypto';
import { shippedRulesFor } from '../../../processors/audit/template/shipped-rules.ts';
import type { Prefill, TemplateRules, TokenPair } from '../../../processors/audit/template/template-rules.ts';
import type { Tokenizer } from '../../../processors/model/tokenizer.ts';
import { RollstreamError } from '../../errors.ts';
import { createProbe, type Probe } from './create-probe.ts';
import type { Renderer } from './create-renderer.ts';
import { findBreaks, type TemplateGrowth } from './find-breaks.ts';
import { MARKS, PROBES } from './probe-conversations.ts';
import { readRoles, type TurnFrame } from './read-roles.ts';

/** What a template was seen to do. */
export interface DerivedTemplate {
  readonly rules: TemplateRules;
  readonly growth: TemplateGrowth;
  /** Tokens that it names and the vocabulary has not: it may be of another model. */
  readonly unknownTokens: readonly string[];
}

/** Ends of models whose tokenizer_config.json names one of several. */
const END_TEXTS = ['<|endoftext|>', '<|end_of_text|>', '<|eom_id|>', '<|im_end|>', '<|end|>', '</s>', '<eos>'];
/** What templates are known to ask for. */
const THINKING = [{ enable_thinking: false }, { enable_thinking: true }];

/**
 * Renders probes and reads the rules off what stands around their words. Throws RS_TEMPLATE_FAILED where it cannot: turns without
 * a token of their own are such a case.
 */
export async function deriveTemplateRules(
  tokenizer: Tokenizer,
  template: string,
  renderer: Renderer,
): Promise<DerivedTemplate> {
  const render = createProbe(renderer);
  const unknownTokens = unknownTokensOf(tokenizer, template);
  const first = await render.must(PROBES.user);
  const frame = frameOf(tokenizer, await render.must(PROBES.askedAgain), unknownTokens);
  const opened = first.indexOf(frame.openText);
  const beforeFirst = [...tokenizer.encode(first.slice(0, opened))];
  if (beforeFirst.length > 1) throw refused('it writes more than one token before the first turn');
  const prompts = await readGenerationPrompts(tokenizer, render, frame);
  const { roles, anyRole, toolResult, called } = await readRoles(tokenizer, render, frame);
  const growth = await findBreaks(renderer);
  const thought = await render.may(PROBES.thoughtThenAsked);
  const shipped = shippedRulesFor(tokenizer);
  const toolCall = called.includes('<tool_call>') ? pairOf(tokenizer, 'tool_call') : null;
  const isShipped = shipped?.turnOpenId === frame.openId && shipped.endOfTurnId === frame.endId;
  const rules: TemplateRules = {
    name: isShipped ? shipped.name : 'derived',
    templateSha256: createHash('sha256').update(template).digest('hex'),
    bosId: beforeFirst[0] ?? null,
    turnOpenId: frame.openId,
    headerEndId: frame.headerEndId,
    headerText: frame.headerText,
    headerTextIds: [...tokenizer.encode(frame.headerText)],
    roles,
    anyRole,
    endOfTurnId: frame.endId,
    otherEosIds: otherEosOf(tokenizer, frame.endId),
    separatorIds: [...tokenizer.encode(frame.separatorText)],
    generationPromptIds: prompts.ids,
    prefills: prompts.prefills,
    defaultSystem: defaultSystemOf(first.slice(opened), frame),
    think: pairOf(tokenizer, 'think'),
    toolCall,
    toolResult,
    stripsThink: thought !== null && !thought.includes(MARKS.thought),
    appendOnly: growth.breaks.length === 0,
  };
  return { rules, growth, unknownTokens };
}

/** Between an answer and the next question: the end of a turn, the separator, and the opening of the next. */
function frameOf(tokenizer: Tokenizer, text: string, unknownTokens: readonly string[]): TurnFrame {
  if (unknownTokens.some((token) => text.includes(token)))
    throw refused(`it is of another model: the vocabulary has no ${unknownTokens.join(', ')}`);
  const from = text.indexOf(MARKS.assistant);
  const to = text.lastIndexOf(MARKS.laterUser);
  if (from === -1 || to < from) throw refused('it does not write the words of the messages');
  const between = text.slice(from + MARKS.assistant.length, to);
  const ids = [...tokenizer.encode(between)];
  const contentOf = (id: number | undefined): string | null => tokenizer.added.get(id ?? -1)?.content ?? null;
  const endText = contentOf(ids[0]);
  if (endText === null) throw refused('it ends a turn with no token of its own');
  const open = ids.findIndex((id, at) => at > 0 && contentOf(id) !== null);
  const openText = contentOf(ids[open]);
  if (openText === null) throw refused('it opens a turn with no token of its own');
  const opening = between.indexOf(openText, endText.length);
  const header = between.slice(opening + openText.length);
  const role = header.indexOf('user');
  if (role !== 0) throw refused('it does not write the role of a user turn');
  const afterRole = header.slice('user'.length);
  const [next] = tokenizer.encode(afterRole);
  const headerEnd = contentOf(next);
  return {
    ...{ endId: ids[0] ?? -1, endText, openId: ids[open] ?? -1, openText },
    separatorText: between.slice(endText.length, opening),
    headerEndId: headerEnd === null ? null : (next ?? null),
    headerText: afterRole.slice(headerEnd?.length ?? 0),
    afterRole,
  };
}

async function readGenerationPrompts(
  tokenizer: Tokenizer,
  render: Probe,
  { openText, afterRole }: TurnFrame,
): Promise<{ ids: number[]; prefills: Prefill[] }> {
  const promptOf = async (vars: Readonly<Record<string, unknown>>): Promise<string | null> => {
    const [without, with_] = [
      await render.may(PROBES.user, { vars }),
      await render.may(PROBES.user, { vars, prompt: true }),
    ];
    return without !== null && with_?.startsWith(without) === true ? with_.slice(without.length) : null;
  };
  const plain = await promptOf({});
  if (plain === null || !plain.startsWith(openText))
    throw refused('it opens no turn where a generation prompt is asked for');
  const role = plain.slice(openText.length, plain.indexOf(afterRole));
  const header = `${openText}${role}${afterRole}`;
  if (!plain.startsWith(header)) throw refused('its generation prompt is opened unlike a turn');
  const rest = plain.slice(header.length);
  const idsOf = (text: string): number[] =>
    [...tokenizer.encode(`${header}${text}`)].slice(tokenizer.encode(header).length);
  const prefills: Prefill[] = [];
  for (const vars of THINKING) {
    const other = (await promptOf(vars))?.slice(header.length) ?? rest;
    if (other !== rest && other !== '') prefills.push({ ids: idsOf(other), vars });
  }
  // Written where nothing says otherwise.
  const vars: Record<string, boolean> = prefills.length > 0 ? { enable_thinking: true } : {};
  if (rest !== '') prefills.unshift({ ids: idsOf(rest), vars });
  return { ids: [...tokenizer.encode(header)], prefills };
}

/** The system turn that nobody asked for. */
function defaultSystemOf(text: string, { openText, afterRole, endText }: TurnFrame): string | null {
  const header = `${openText}system${afterRole}`;
  if (!text.startsWith(header)) return null;
  return text.slice(header.length, text.indexOf(endText));
}

function pairOf(tokenizer: Tokenizer, name: string): TokenPair | null {
  const [openId, closeId] = [tokenizer.addedId(`<${name}>`), tokenizer.addedId(`</${name}>`)];
  return openId === null || closeId === null ? null : { openId, closeId };
}

function otherEosOf(tokenizer: Tokenizer, endId: number): number[] {
  const named = END_TEXTS.map((text) => tokenizer.addedId(text)).filter((id) => id !== null);
  return [...new Set([...tokenizer.eosIds, ...named])].filter((id) => id !== endId).sort((a, b) => a - b);
}

/** `<|im_start|>` and the like, as they stand in the template. */
function unknownTokensOf(tokenizer: Tokenizer, template: string): string[] {
  const named = new Set(template.match(/<\|[^|<>\s'"]{1,60}\|>/g) ?? []);
  return [...named].filter((token) => tokenizer.addedId(token) === null);
}

function refused(reason: string): RollstreamError {
  return new RollstreamError('RS_TEMPLATE_FAILED', `nothing can be derived from the chat template: ${reason}`);
}
