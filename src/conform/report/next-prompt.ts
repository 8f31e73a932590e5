import type { TruthCall } from '../truth.ts';
import { type ResultsSaid, resultsSaid, type SaidAfter } from './results-said.ts';

/** What the prompt after a turn says of it: what the stack made of the answer. */
export interface NextPrompt extends ResultsSaid {
  /** Of the engine's log. */
  readonly call: number;
  readonly promptIds: readonly number[];
  /** Prompt and completion of the turn, as they stood in the engine. */
  readonly heldIds: readonly number[];
  /** Ids of the two that are the same from the start. */
  readonly commonPrefix: number;
  /** The text of what was held begins the prompt, whatever its ids are. */
  readonly isSameText: boolean;
  /** What the prompt says that was not held. */
  readonly addedText: string;
  /** Last assistant message of a chat; null: the route has no messages. */
  readonly history: HistoryMessage | null;
}

export interface HistoryMessage {
  readonly content: string | null;
  readonly calls: ReadonlyArray<{ readonly name: string | null; readonly arguments: string | null }>;
}

export function nextPromptOf(before: TruthCall, next: TruthCall): NextPrompt {
  const heldIds = [...before.promptIds, ...before.completionIds];
  const heldText = `${before.promptText}${before.rawText}`;
  const isSameText = next.promptText.startsWith(heldText);
  const addedText = next.promptText.slice(commonLength(next.promptText, heldText));
  const chat = next.messages === null ? null : readChat(next.messages);
  const said = chat?.said ?? saidIn(addedText, isSameText);
  return {
    call: next.call,
    promptIds: next.promptIds,
    heldIds,
    commonPrefix: commonLength(next.promptIds, heldIds),
    isSameText,
    addedText,
    history: chat?.history ?? null,
    ...resultsSaid(said),
  };
}

/** Elements, or characters, that the two have in common from the start. */
export function commonLength(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

const TURN = /<\|im_start\|>([\w-]+)\n(.*?)(<\|im_end\|>|$)/gs;

/** What follows the model's turn, as templates of ChatML write it; in another template all that was added. */
function saidIn(text: string, isSameText: boolean): SaidAfter[] {
  const found = [...text.matchAll(TURN)];
  const first = found[0]?.index;
  if (first === undefined) return [{ role: null, text }];
  const turns = found.map(([, role = '', said = '', end]) => ({ role, text: said, isClosed: end !== '' }));
  const own = turns.findLastIndex(({ role, isClosed }) => role === 'assistant' && isClosed);
  const after = turns.slice(own + 1).filter(({ role }) => role !== 'assistant');
  // Before the first turn stands what the template adds, or, where the answer was written anew, the rest of it.
  const head = { role: null, text: text.slice(0, first) };
  return own === -1 && isSameText ? [head, ...after] : after;
}

function readChat(messages: readonly unknown[]): { history: HistoryMessage | null; said: SaidAfter[] } {
  const at = messages.findLastIndex((message) => memberOf(message, 'role') === 'assistant');
  const said = messages[at];
  const listed = memberOf(said, 'tool_calls');
  const calls = (Array.isArray(listed) ? listed : []).map((call) => {
    const asked = memberOf(call, 'function');
    return { name: textIn(memberOf(asked, 'name')), arguments: textIn(memberOf(asked, 'arguments')) };
  });
  const after = messages.slice(at + 1).map((message) => ({
    role: textIn(memberOf(message, 'role')),
    text: contentText(memberOf(message, 'content')) ?? '',
  }));
  return {
    history: said === undefined ? null : { content: contentText(memberOf(said, 'content')), calls },
    said: after,
  };
}

/** A text, or the texts of its parts; null: there is none. */
function contentText(content: unknown): string | null {
  if (!Array.isArray(content)) return textIn(content);
  return content.map((part) => textIn(memberOf(part, 'text')) ?? '').join('');
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
