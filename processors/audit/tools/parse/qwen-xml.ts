import { skipBlank } from './skip-blank.ts';
import type { Block, CallFault, Dialect, FaultKind, StrictCall, TagSource } from './strict-call.ts';
import type { StrictValue } from './strict-value.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const END_FUNCTION = '</function>';
const PARAMETER = '<parameter=';
const END_PARAMETER = '</parameter>';

/** `<tool_call>\n<function=NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n</tool_call>`, as Qwen3-Coder writes it; the outer tags may be absent. */
export const QWEN_XML: Dialect = { name: 'qwen_xml', openers: [OPEN, FUNCTION], isUntyped: true, read };

function read(source: TagSource, start: number, limit: number): Block {
  const { text, next } = source;
  const isWrapped = text.startsWith(OPEN, start);
  let at = isWrapped ? skipBlank(text, start + OPEN.length, limit) : start;
  if (!text.startsWith(FUNCTION, at)) return broken(source, start, at, limit, 'missing_name');
  const name = upTo(text, at + FUNCTION.length, limit);
  if (name === null) return broken(source, start, at, limit, 'unclosed_tag');
  at = name.end;
  const body = at;
  const entries = new Map<string, StrictValue>();
  let fault: CallFault | null = name.value === '' ? { kind: 'missing_name', at } : null;
  const done = (end: number, isOpen = false): Block => {
    const call: StrictCall = {
      name: name.value === '' ? null : name.value,
      argumentsText: text.slice(body, Math.min(at, end)),
      argumentsValue: fault === null ? { kind: 'object', entries } : null,
      seen: { kind: 'object', entries },
      charStart: start,
      charEnd: end,
      fault,
      isOpen,
    };
    return { calls: [call], end };
  };
  const failed = (kind: FaultKind, place: number): Block => {
    fault ??= { kind, at: place };
    const rest = restOf(source, place, limit, isWrapped);
    return done(rest.end, rest.isOpen);
  };
  for (;;) {
    at = skipBlank(text, at, limit);
    if (text.startsWith(END_FUNCTION, at)) break;
    if (!text.startsWith(PARAMETER, at)) return failed(at >= limit ? 'unclosed_tag' : closes(text, at), at);
    const key = upTo(text, at + PARAMETER.length, limit);
    if (key === null) return failed('unclosed_tag', at);
    const close = next(END_PARAMETER, key.end, limit);
    const following = next(PARAMETER, key.end, limit);
    if (entries.has(key.value)) fault ??= { kind: 'duplicate_key', at };
    if (close === -1 || (following !== -1 && following < close)) {
      if (!entries.has(key.value)) entries.set(key.value, null);
      return failed('unclosed_tag', at);
    }
    entries.set(key.value, valueWithin(text.slice(key.end, close)));
    at = close + END_PARAMETER.length;
  }
  at = Math.min(at + END_FUNCTION.length, limit);
  if (!isWrapped) return done(at);
  const after = skipBlank(text, at, limit);
  if (text.startsWith(CLOSE, after) && after + CLOSE.length <= limit) return done(after + CLOSE.length);
  return failed(
    after >= limit ? 'unclosed_tag' : text.startsWith(FUNCTION, after) ? 'extra_data' : 'trailing_text',
    after,
  );
}

/** The line breaks beside the tags are the format's; a value that does not begin with one is as it stands. */
function valueWithin(written: string): string {
  if (!written.startsWith('\n')) return written;
  return written.slice(1, written.endsWith('\n') && written.length > 1 ? -1 : undefined);
}

function closes(text: string, at: number): FaultKind {
  return text.startsWith(CLOSE, at) || text.startsWith(OPEN, at) ? 'unclosed_tag' : 'trailing_text';
}

/** A name up to `>`, within its line. */
function upTo(text: string, from: number, limit: number): { value: string; end: number } | null {
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return { value: text.slice(from, at), end: at + 1 };
    if (code === 0x0a || code === 0x3c) return null;
  }
  return null;
}

/** Where a block that is not well formed ends: with the closing tag, before the next block, or with the text. */
function restOf(
  { next }: TagSource,
  from: number,
  limit: number,
  isWrapped: boolean,
): { end: number; isOpen: boolean } {
  const close = next(CLOSE, from, limit);
  const wrapped = next(OPEN, from, limit);
  const bare = isWrapped ? -1 : next(FUNCTION, from, limit);
  const open = wrapped === -1 || (bare !== -1 && bare < wrapped) ? bare : wrapped;
  if (close !== -1 && (open === -1 || close < open)) return { end: close + CLOSE.length, isOpen: false };
  return open === -1 ? { end: limit, isOpen: true } : { end: open, isOpen: false };
}

function broken(source: TagSource, start: number, at: number, limit: number, kind: FaultKind): Block {
  const { end, isOpen } = restOf(source, at, limit, true);
  const fault: CallFault = { kind: isOpen ? 'unclosed_tag' : kind, at };
  const nothing = { name: null, argumentsText: null, argumentsValue: null, seen: null };
  return { calls: [{ ...nothing, charStart: start, charEnd: end, fault, isOpen }], end: Math.max(end, at) };
}
