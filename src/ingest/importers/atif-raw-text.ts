import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';

const TERMINUS = /^terminus/;
/** What Terminus-2 shows the model of a reply that it could not read: then the step keeps the reply itself. */
const COULD_NOT_READ = /^Previous response had parsing errors:/;
const REPAIRED = /^Previous response had warnings:\nWARNINGS:[\s\S]{0,2000}?AUTO-CORRECTED:/;
/** What it makes of a reply that it read: the reply itself is gone. */
const REWRITTEN = /^(Analysis|Plan): /;

/** Parser that the agent says it reads replies with, as the audit of tools knows it: `terminus-2/json`. null: it does not say. */
export function replyParser(agent: JsonObject): string | null {
  const { name, extra } = agent;
  if (typeof name !== 'string' || !TERMINUS.test(name) || !isObject(extra)) return null;
  return extra.parser === 'json' || extra.parser === 'xml' ? `terminus-2/${extra.parser}` : null;
}

/** How a document keeps what its model wrote. */
export interface ReplyKeeping {
  readonly parser: string | null;
  /** A sub-agent of Terminus-2: its replies are read by nobody, and kept as they are. */
  readonly isVerbatim: boolean;
  /** The document has tool calls: a reply that was read is kept in parts. */
  readonly hasCalls: boolean;
}

export function replyKeeping(agent: JsonObject, steps: readonly JsonValue[]): ReplyKeeping {
  return {
    parser: replyParser(agent),
    isVerbatim: typeof agent.name === 'string' && /^terminus-2-summarization-/.test(agent.name),
    hasCalls: steps.some((step) => isObject(step) && Array.isArray(step.tool_calls) && step.tool_calls.length > 0),
  };
}

/**
 * The message is what the model wrote, before the loop's parser, and can be proved to be: Terminus-2 says that it could not read
 * it, or the document keeps replies whole (no calls beside them, and the text has the form that the parser reads). Thinking
 * that the server split off is not part of it; with ids beside it that say all, the text is not claimed.
 */
export function isRawReply(step: JsonObject, { parser, isVerbatim, hasCalls }: ReplyKeeping, hasIds: boolean): boolean {
  const { message, reasoning_content: thought, tool_calls: calls } = step;
  if (typeof message !== 'string' || (Array.isArray(calls) && calls.length > 0)) return false;
  if (hasIds && typeof thought === 'string' && thought !== '') return false;
  if (isVerbatim) return true;
  if (parser === null) return false;
  if (COULD_NOT_READ.test(shownBy(step))) return true;
  return !hasCalls && !REWRITTEN.test(message) && message.includes(parser.endsWith('xml') ? '<response>' : '{');
}

/** The loop says that it mended the reply before it ran what it read. */
export function isRepaired(step: JsonObject, parser: string | null): boolean {
  return parser !== null && REPAIRED.test(shownBy(step));
}

function shownBy(step: JsonObject): string {
  const results = isObject(step.observation) ? step.observation.results : null;
  const first = Array.isArray(results) ? results[0] : null;
  return isObject(first) && typeof first.content === 'string' ? first.content : '';
}
