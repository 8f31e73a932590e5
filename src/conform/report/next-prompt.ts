import type { TruthCall } from '../truth.ts';

/** What the prompt after a turn says of it: what the stack made of the answer. */
export interface NextPrompt {
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
  /** Texts of the tool results that follow the turn; null: a template that nobody here can read. */
  readonly results: readonly string[] | null;
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
  return {
    call: next.call,
    promptIds: next.promptIds,
    heldIds,
    commonPrefix: commonLength(next.promptIds, heldIds),
    isSameText,
    addedText,
    history: chat?.history ?? null,
    results: chat === null ? resultsIn(addedText) : chat.results,
  };
}

/** Elements, or characters, that the two have in common from the start. */
export function commonLength(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

const TAGGED = /<tool_response>\n?(.*?)\n?<\/tool_response>/gs;
const TOOL_TURN = /<\|im_start\|>(?:tool|function|observation)\n(.*?)(?:<\|im_end\|>|$)/gs;
const OTHER_TURN = /<\|im_start\|>(?:user|system|developer|assistant)\n/;
/** Whatever the template is, tools that say what they were called with are seen. */
const ECHO = /executed [\w.-]+ \{[^\n]*?\}(?=\s*(?:$|<|\n))/g;

/** As templates of ChatML write tool results. */
function resultsIn(text: string): readonly string[] | null {
  for (const pattern of [TAGGED, TOOL_TURN, ECHO]) {
    const found = Array.from(text.matchAll(pattern), ([whole, result]) => result ?? whole);
    if (found.length > 0) return found;
  }
  return OTHER_TURN.test(text) ? [] : null;
}

function readChat(messages: readonly unknown[]): { history: HistoryMessage | null; results: string[] } {
  const at = messages.findLastIndex((message) => memberOf(message, 'role') === 'assistant');
  const said = messages[at];
  const listed = memberOf(said, 'tool_calls');
  const calls = (Array.isArray(listed) ? listed : []).map((call) => {
    const asked = memberOf(call, 'function');
    return { name: textIn(memberOf(asked, 'name')), arguments: textIn(memberOf(asked, 'arguments')) };
  });
  const results = messages
    .slice(at + 1)
    .filter((message) => memberOf(message, 'role') === 'tool')
    .map((message) => contentText(memberOf(message, 'content')) ?? '');
  return { history: said === undefined ? null : { content: contentText(memberOf(said, 'content')), calls }, results };
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
