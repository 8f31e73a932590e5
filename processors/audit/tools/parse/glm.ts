import { skipBlank } from './skip-blank.ts';
import type { Block, CallFault, Dialect, FaultKind, TagSource } from './strict-call.ts';
import type { StrictValue } from './strict-value.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEY = '<arg_key>';
const END_KEY = '</arg_key>';
const VALUE = '<arg_value>';
const END_VALUE = '</arg_value>';

/** `<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>`, as GLM-4.5 and later write it. */
export const GLM: Dialect = { name: 'glm', openers: [OPEN], isUntyped: true, read };

function read({ text, next }: TagSource, start: number, limit: number): Block {
  const body = start + OPEN.length;
  const key = next(KEY, body, limit);
  const close = next(CLOSE, body, limit);
  const open = next(OPEN, body, limit);
  const nameEnd = Math.min(key < 0 ? limit : key, close < 0 ? limit : close, open < 0 ? limit : open);
  const name = text.slice(body, Math.min(nameEnd, body + 1_000)).trim();
  const entries = new Map<string, StrictValue>();
  let at = nameEnd;
  let fault: CallFault | null =
    name === '' || name.includes('\n') || name.includes('{') ? { kind: 'missing_name', at: body } : null;

  const failed = (kind: FaultKind): Block => {
    fault ??= { kind, at };
    const nextClose = next(CLOSE, at, limit);
    const nextOpen = next(OPEN, at, limit);
    const isClosed = nextClose !== -1 && (nextOpen === -1 || nextClose < nextOpen);
    return done(isClosed ? nextClose + CLOSE.length : nextOpen < 0 ? limit : nextOpen, !isClosed && nextOpen < 0);
  };
  const done = (end: number, isOpen: boolean): Block => {
    const value = { kind: 'object', entries } as const;
    const call = {
      name: fault?.kind === 'missing_name' ? null : name,
      argumentsText: text.slice(nameEnd, Math.min(at, end)),
      argumentsValue: fault === null ? value : null,
      seen: value,
      charStart: start,
      charEnd: end,
      fault,
      isOpen,
    };
    return { calls: [call], end };
  };

  for (;;) {
    at = skipBlank(text, at, limit);
    if (text.startsWith(CLOSE, at) && at + CLOSE.length <= limit) return done(at + CLOSE.length, false);
    if (!text.startsWith(KEY, at))
      return failed(at >= limit || text.startsWith(OPEN, at) ? 'unclosed_tag' : 'trailing_text');
    const keyEnd = next(END_KEY, at, limit);
    if (keyEnd === -1) return failed('unclosed_tag');
    const named = text.slice(at + KEY.length, keyEnd);
    if (named.includes('<')) return failed('unclosed_tag');
    if (entries.has(named)) fault ??= { kind: 'duplicate_key', at };
    const value = skipBlank(text, keyEnd + END_KEY.length, limit);
    if (!text.startsWith(VALUE, value)) {
      if (!entries.has(named)) entries.set(named, null);
      return failed('missing_value');
    }
    const valueEnd = next(END_VALUE, value, limit);
    const following = next(VALUE, value + VALUE.length, limit);
    if (valueEnd === -1 || (following !== -1 && following < valueEnd)) {
      if (!entries.has(named)) entries.set(named, null);
      return failed('unclosed_tag');
    }
    entries.set(named, text.slice(value + VALUE.length, valueEnd));
    at = valueEnd + END_VALUE.length;
  }
}
