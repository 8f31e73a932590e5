import { contentEnd } from './content-end.ts';
import { createTagSource } from './create-tag-source.ts';
import { GLM } from './glm.ts';
import { HERMES } from './hermes.ts';
import { KIMI } from './kimi.ts';
import { QWEN_XML } from './qwen-xml.ts';
import { skipBlank } from './skip-blank.ts';
import type { Dialect, StrictCall, StrictParse } from './strict-call.ts';
import { TERMINUS_JSON } from './terminus-json.ts';
import { TERMINUS_XML } from './terminus-xml.ts';

const THINK = '<think>';
const END_THINK = '</think>';
const MOST_CALLS = 10_000;

/** Whether the prompt ended within a thought (`<think>` at its end); null: not known. */
export type OpensInThought = boolean | null;

/**
 * The calls of a completion, to the letter of a dialect. What was written in a thought is no call. A `<think>` within a call is
 * content; a `</think>` that nothing opened ends a thought that began before the text, or around all that came before it.
 */
export function parseCalls(text: string, dialect: Dialect, opensInThought: OpensInThought = null): StrictParse {
  if (dialect.isWholeText) return wholeReply(text, dialect, opensInThought);
  const source = createTagSource(text);
  const end = contentEnd(text);
  let calls: StrictCall[] = [];
  const thinkCalls: StrictCall[] = [];
  let thinkUnclosed = false;
  let hasThought = false;
  /** Thoughts opened within a thought: as many `</think>` may still come. */
  let nested = 0;

  const nearest = (tags: readonly string[], from: number, limit: number): number => {
    let best = -1;
    for (const tag of tags) {
      const at = source.next(tag, from, limit);
      if (at !== -1 && (best === -1 || at < best)) best = at;
    }
    return best;
  };
  const thought = (from: number): number => {
    hasThought = true;
    const close = source.next(END_THINK, from, end);
    const until = close === -1 ? end : close;
    thinkUnclosed ||= close === -1;
    for (let at = source.next(THINK, from, until); at !== -1; at = source.next(THINK, at + THINK.length, until))
      nested += 1;
    for (let at = nearest(dialect.openers, from, until); at !== -1 && thinkCalls.length <= MOST_CALLS; ) {
      const block = dialect.read(source, at, until);
      for (const call of block.calls) thinkCalls.push(call);
      at = nearest(dialect.openers, block.end, until);
    }
    return close === -1 ? end : close + END_THINK.length;
  };
  const readBlock = (at: number): number => {
    let block = dialect.read(source, at, end);
    // A broken draft must not swallow the end of the thought that it stands in.
    const close = hasThought ? -1 : source.next(END_THINK, at, end);
    if (close !== -1 && close < block.end && block.calls.some(({ fault }) => fault !== null))
      block = dialect.read(source, at, close);
    for (const call of block.calls) calls.push(call);
    return block.end;
  };

  let at = opensInThought === true ? thought(0) : 0;
  for (;;) {
    const open = nearest(dialect.openers, at, end);
    const think = source.next(THINK, at, end);
    const close = source.next(END_THINK, at, end);
    const first = Math.min(...[open, think, close].filter((place) => place !== -1));
    const isWhole = calls.length + thinkCalls.length <= MOST_CALLS;
    if (first === Number.POSITIVE_INFINITY || !isWhole) return { calls, thinkCalls, thinkUnclosed, isWhole };
    if (first === think) at = thought(think + THINK.length);
    else if (first === close) {
      if (!hasThought || nested > 0) {
        for (const call of calls) thinkCalls.push(call);
        calls = [];
        nested = Math.max(0, nested - 1);
      }
      hasThought = true;
      at = close + END_THINK.length;
    } else at = readBlock(open);
  }
}

/** All of the text behind its thought is the reply. */
function wholeReply(text: string, dialect: Dialect, opensInThought: OpensInThought): StrictParse {
  const end = contentEnd(text);
  const closed = text.lastIndexOf(END_THINK, end);
  const start = closed === -1 ? 0 : closed + END_THINK.length;
  const opens = text.startsWith(THINK, skipBlank(text, start, end)) || (opensInThought === true && closed === -1);
  if (opens) return { calls: [], thinkCalls: [], thinkUnclosed: true, isWhole: true };
  const { calls } = dialect.read(createTagSource(text), start, end);
  const isWhole = calls.length <= MOST_CALLS;
  return { calls: isWhole ? calls : calls.slice(0, MOST_CALLS), thinkCalls: [], thinkUnclosed: false, isWhole };
}

export const DIALECTS: readonly Dialect[] = [HERMES, QWEN_XML, GLM, KIMI, TERMINUS_JSON, TERMINUS_XML];

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`. */
export function parseHermes(text: string, opensInThought: OpensInThought = null): StrictParse {
  return parseCalls(text, HERMES, opensInThought);
}

/** `<function=NAME><parameter=KEY>VALUE</parameter></function>`. */
export function parseQwenXml(text: string, opensInThought: OpensInThought = null): StrictParse {
  return parseCalls(text, QWEN_XML, opensInThought);
}

/** `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`. */
export function parseGlm(text: string, opensInThought: OpensInThought = null): StrictParse {
  return parseCalls(text, GLM, opensInThought);
}

/** `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`. */
export function parseKimi(text: string, opensInThought: OpensInThought = null): StrictParse {
  return parseCalls(text, KIMI, opensInThought);
}
