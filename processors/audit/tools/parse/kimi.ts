import { scanJson } from './scan-json.ts';
import { skipBlank } from './skip-blank.ts';
import type { Block, CallFault, Dialect, FaultKind, StrictCall, TagSource } from './strict-call.ts';
import { isStrictObject } from './strict-value.ts';

const SECTION = '<|tool_calls_section_begin|>';
const END_SECTION = '<|tool_calls_section_end|>';
const CALL = '<|tool_call_begin|>';
const ARGUMENTS = '<|tool_call_argument_begin|>';
const END_CALL = '<|tool_call_end|>';

/** `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…`, as Kimi-K2 writes it. */
export const KIMI: Dialect = { name: 'kimi', openers: [SECTION], isUntyped: false, read };

function read(source: TagSource, start: number, limit: number): Block {
  const { text, next } = source;
  const calls: StrictCall[] = [];
  let at = start + SECTION.length;
  for (;;) {
    at = skipBlank(text, at, limit);
    if (text.startsWith(END_SECTION, at) && at + END_SECTION.length <= limit)
      return { calls, end: at + END_SECTION.length };
    if (!text.startsWith(CALL, at)) break;
    const call = readCall(source, at, limit);
    calls.push(call);
    at = call.charEnd;
    if (call.isOpen) break;
  }
  // The section is not closed where it should be: parsers that ask for its end see no call in it at all.
  const close = next(END_SECTION, at, limit);
  const again = next(SECTION, at, limit);
  const isClosed = close !== -1 && (again === -1 || close < again);
  const end = isClosed ? close + END_SECTION.length : again === -1 ? limit : again;
  const fault: CallFault = { kind: isClosed ? 'trailing_text' : 'unclosed_tag', at };
  const isOpen = !isClosed && again === -1;
  if (calls.length === 0) calls.push({ ...NOTHING, charStart: start, charEnd: end, fault, isOpen });
  return { calls: calls.map((call) => (isClosed ? call : unfinished(call, fault, isOpen))), end };
}

const NOTHING = { name: null, argumentsText: null, argumentsValue: null, seen: null };

function unfinished(call: StrictCall, fault: CallFault, isOpen: boolean): StrictCall {
  return { ...call, argumentsValue: null, fault: call.fault ?? fault, isOpen: call.isOpen || isOpen };
}

function readCall({ text, next }: TagSource, start: number, limit: number): StrictCall {
  const from = start + CALL.length;
  const stop = boundOf(next, from, limit);
  const begin = next(ARGUMENTS, from, limit);
  const hasArguments = begin !== -1 && begin < stop.bound;
  const id = text.slice(from, Math.min(hasArguments ? begin : stop.bound, from + 1_000)).trim();
  const { name, fault: idFault } = nameOf(id);
  const made = (
    kind: FaultKind | null,
    at: number,
    rest: Partial<StrictCall>,
    end: number,
    isOpen = false,
  ): StrictCall => {
    const fault = kind === null ? (idFault === null ? null : { kind: idFault, at: from }) : { kind, at };
    const argumentsValue = fault === null ? (rest.argumentsValue ?? null) : null;
    return { ...NOTHING, ...rest, name, argumentsValue, charStart: start, charEnd: end, fault, isOpen };
  };
  if (!hasArguments)
    return made(stop.isClosed ? 'missing_arguments' : 'unclosed_tag', stop.bound, {}, stop.end, stop.isOpen);
  const body = begin + ARGUMENTS.length;
  const whole = scanJson(text, body, limit);
  if (whole.kind === 'ok') {
    const after = skipBlank(text, whole.end, limit);
    const argumentsText = text.slice(body, whole.end).trim();
    const { bound, end, isClosed, isOpen } = boundOf(next, whole.end, limit);
    if (!isClosed) return made('unclosed_tag', after, { argumentsText, seen: whole.value }, end, isOpen);
    if (after < bound) return made('trailing_text', after, { argumentsText, seen: whole.value }, end);
    if (!isStrictObject(whole.value)) return made('wrong_type', body, { argumentsText, seen: whole.value }, end);
    return made(null, 0, { argumentsText, argumentsValue: whole.value, seen: whole.value }, end);
  }
  const { bound, end, isOpen } = boundOf(next, body, limit);
  const scan = whole.at < bound ? whole : scanJson(text, body, bound);
  const argumentsText = text.slice(body, bound);
  const kind = scan.kind === 'fault' ? scan.fault : 'unclosed_tag';
  const at = scan.kind === 'fault' ? scan.at : scan.end;
  return made(kind, at, { argumentsText, seen: (scan.kind === 'fault' ? scan.seen : scan.value) ?? null }, end, isOpen);
}

/** `functions.NAME:INDEX`. */
function nameOf(id: string): { name: string | null; fault: FaultKind | null } {
  const colon = id.lastIndexOf(':');
  const dot = id.indexOf('.');
  const isWhole = id.startsWith('functions.') && colon > dot && /^\d{1,9}$/.test(id.slice(colon + 1));
  const name = id.slice(id.startsWith('functions.') ? dot + 1 : 0, colon > dot ? colon : undefined);
  if (name === '') return { name: null, fault: 'missing_name' };
  return { name, fault: isWhole ? null : 'bad_id' };
}

/** Where a call ends at the latest: with its closing tag, or before the next tag that cannot be part of it. */
function boundOf(next: TagSource['next'], from: number, limit: number) {
  const places = [CALL, SECTION, END_SECTION].map((tag) => next(tag, from, limit)).filter((at) => at !== -1);
  const other = Math.min(limit, ...places);
  const close = next(END_CALL, from, limit);
  const isClosed = close !== -1 && close < other;
  const bound = isClosed ? close : other;
  return { bound, end: isClosed ? close + END_CALL.length : other, isClosed, isOpen: !isClosed && other === limit };
}
