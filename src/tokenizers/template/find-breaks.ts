import { RollstreamError } from '../../errors.ts';
import type { Renderer } from './create-renderer.ts';
import { CONVERSATIONS, PROBE_TOOLS, type ProbeConversation } from './probe-conversations.ts';

/** A conversation whose prompt does not begin with the prompt before it. */
export interface TemplateBreak {
  readonly conversation: string;
  /** Messages that were rendered before, and the role of the one that was added. */
  readonly messages: number;
  readonly added: string;
  /** First character that differs, and what stood and stands around it. */
  readonly index: number;
  readonly before: string;
  readonly after: string;
}

/** What a probe of the whole template tells. */
export interface TemplateGrowth {
  readonly breaks: readonly TemplateBreak[];
  /** Conversations that the template cannot render, with its reason. */
  readonly refused: ReadonlyArray<{ readonly conversation: string; readonly reason: string }>;
}

const SHOWN_CHARACTERS = 80;
const SHOWN_BEFORE = 20;

/** Whether prompts only ever grow at their end; of each conversation the first break. */
export async function findBreaks(renderer: Renderer): Promise<TemplateGrowth> {
  const breaks: TemplateBreak[] = [];
  const refused: Array<{ conversation: string; reason: string }> = [];
  for (const conversation of CONVERSATIONS) {
    try {
      const found = await firstBreak(renderer, conversation);
      if (found !== null) breaks.push(found);
    } catch (error) {
      // Not every template knows tools or systems; one that does not end says so at once.
      if (!(error instanceof RollstreamError) || error.code !== 'RS_TEMPLATE_FAILED') throw error;
      refused.push({ conversation: conversation.name, reason: error.message });
    }
  }
  return { breaks, refused };
}

async function firstBreak(renderer: Renderer, conversation: ProbeConversation): Promise<TemplateBreak | null> {
  const { name, messages, usesTools, vars } = conversation;
  const tools = usesTools ? PROBE_TOOLS : null;
  for (let k = firstPrompt(messages); k < messages.length; k++) {
    const added = messages[k]?.role ?? '';
    // Results of one turn come together.
    if (added === 'tool' && messages[k - 1]?.role === 'tool') continue;
    const rendered = async (to: number, addGenerationPrompt: boolean): Promise<string> =>
      (await renderer.render({ messages: messages.slice(0, to), tools, vars, addGenerationPrompt })).text;
    const held = await rendered(k, added === 'assistant');
    const next = await rendered(k + 1, false);
    if (next.startsWith(held)) continue;
    const index = firstDifference(held, next);
    // From the beginning of the word, where it is near.
    const from = Math.max(held.lastIndexOf('<', index), held.lastIndexOf('\n', index - 1) + 1, index - SHOWN_BEFORE);
    const shown = (text: string): string => text.slice(from, from + SHOWN_CHARACTERS);
    return { conversation: name, messages: k, added, index, before: shown(held), after: shown(next) };
  }
  return null;
}

/** A system turn alone is no prompt. */
function firstPrompt(messages: ProbeConversation['messages']): number {
  return messages.findIndex(({ role }) => role === 'user') + 1;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
