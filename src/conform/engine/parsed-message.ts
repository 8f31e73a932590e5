import type { Answer } from './answer.ts';
import { CALL_CLOSE, CALL_OPEN, type ParsedCall, parseHermes } from './hermes.ts';

/** A chat message as the engine's parsers make it of the text. */
export interface ParsedMessage {
  /** What the model thought, without the tags; null: it did not. */
  readonly reasoning: string | null;
  readonly content: string;
  readonly calls: readonly ParsedCall[];
}

const THINK = '<think>';
const THINK_END = '</think>';

/** Thought first, then calls of what follows it: a draft of a call in a thought is none. */
export function parsedMessage({
  text,
  asked,
  opensInThought,
}: Pick<Answer, 'text' | 'asked' | 'opensInThought'>): ParsedMessage {
  const { reasoning, rest } = splitThought(text, opensInThought);
  const { content, calls } = asked.parsesCalls
    ? parseHermes(rest, asked.dialect, asked.toolNames)
    : { content: rest, calls: [] };
  return { reasoning, content, calls };
}

function splitThought(text: string, opensInThought: boolean): { reasoning: string | null; rest: string } {
  const isOpened = text.startsWith(THINK);
  if (!isOpened && !opensInThought) return { reasoning: null, rest: text };
  const from = isOpened ? THINK.length : 0;
  const end = text.indexOf(THINK_END, from);
  if (end === -1) return { reasoning: text.slice(from), rest: '' };
  return { reasoning: text.slice(from, end), rest: text.slice(end + THINK_END.length) };
}

/** What a chunk of a stream adds to the message. */
export interface MessageDelta {
  readonly reasoning: string;
  readonly content: string;
  /** Calls that are whole now, with their place in the message. */
  readonly calls: ReadonlyArray<ParsedCall & { readonly index: number }>;
}

/**
 * The same in a stream. Text that may become a tag waits; a call is told once it is closed; what follows the opening of a call and
 * is none is not told at all, as in both engines.
 */
export function createMessageStream(
  facts: Pick<Answer, 'asked' | 'opensInThought'>,
): (delta: string, isLast: boolean) => MessageDelta {
  let said = '';
  let told = { reasoning: 0, content: 0, calls: 0 };
  // A text in which nothing can be found any more is passed on as it comes.
  let isPlain = false;
  return (delta, isLast) => {
    if (isPlain) return { reasoning: '', content: delta, calls: [] };
    said += delta;
    isPlain = !facts.asked.parsesCalls && !facts.opensInThought && !THINK.startsWith(said.slice(0, THINK.length));
    const { reasoning, rest } = splitThought(said, facts.opensInThought);
    const open = facts.asked.parsesCalls ? rest.indexOf(CALL_OPEN) : -1;
    const shown = open === -1 ? rest : rest.slice(0, open);
    // A thought is opened at the very beginning or not at all.
    const mayBeTag = [...(facts.asked.parsesCalls ? [CALL_OPEN] : []), ...(THINK.startsWith(said) ? [THINK] : [])];
    const content = isLast || open !== -1 ? shown : withoutBegun(shown, mayBeTag);
    const thought = reasoning === null ? '' : isLast || rest !== '' ? reasoning : withoutBegun(reasoning, [THINK_END]);
    const calls = open === -1 ? [] : closedCalls(rest.slice(open), facts.asked, isLast);
    const added = {
      reasoning: thought.slice(told.reasoning),
      content: content.slice(told.content),
      calls: calls.slice(told.calls).map((call, at) => ({ ...call, index: told.calls + at })),
    };
    told = {
      reasoning: Math.max(told.reasoning, thought.length),
      content: Math.max(told.content, content.length),
      calls: Math.max(told.calls, calls.length),
    };
    return added;
  };
}

function closedCalls(text: string, { dialect, toolNames }: Answer['asked'], isLast: boolean): readonly ParsedCall[] {
  const end = text.lastIndexOf(CALL_CLOSE);
  if (isLast) return parseHermes(text, dialect, toolNames).calls;
  return end === -1 ? [] : parseHermes(text.slice(0, end + CALL_CLOSE.length), dialect, toolNames).calls;
}

/** Without an end that may be the beginning of a tag. */
function withoutBegun(text: string, tags: readonly string[]): string {
  for (let length = Math.min(text.length, CALL_CLOSE.length); length > 0; length--) {
    const end = text.slice(-length);
    if (tags.some((tag) => tag.startsWith(end))) return text.slice(0, -length);
  }
  return text;
}
