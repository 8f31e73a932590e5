import type { Block, Dialect, FaultKind, StrictCall, TagSource } from './strict-call.ts';
import type { StrictObject, StrictValue } from './strict-value.ts';
import { commandCall, completeCall, faultAt, faultyReply } from './terminus-command.ts';

/**
 * `<response><analysis>…</analysis><plan>…</plan><commands><keystrokes duration="1.0">…</keystrokes></commands></response>`, as
 * Terminus-2 asks for it where it reads XML. Keystrokes are verbatim; text around the response is tolerated.
 */
export const TERMINUS_XML: Dialect = {
  ...{ name: 'terminus_xml', openers: [], isUntyped: false, isWholeText: true, isListless: true },
  read,
};

const OPEN = '<response>';
const CLOSE = '</response>';
const KEYSTROKES = '<keystrokes';
const END_KEYSTROKES = '</keystrokes>';
const DURATION = /^\s*duration\s*=\s*(["'])(\d+(?:\.\d+)?|\.\d+)\1\s*$/;

function read({ text, next }: TagSource, start: number, limit: number): Block {
  const open = next(OPEN, start, limit);
  const failed = (kind: FaultKind, at: number, from: number, seen: StrictValue, isOpen = false): Block => {
    const place = { charStart: from, charEnd: limit };
    return { calls: [faultyReply(text, place, faultAt(kind, at), seen, isOpen)], end: limit };
  };
  if (open === -1) return failed('missing_field', start, start, null);
  const body = open + OPEN.length;
  const close = next(CLOSE, body, limit);
  const end = close === -1 ? limit : close;
  const commands = sectionOf(text, 'commands', body, end);
  const complete = sectionOf(text, 'task_complete', body, end);
  const isComplete = complete !== null && text.slice(complete.from, complete.to).trim().toLowerCase() === 'true';
  const read = commands === null ? { calls: [], fault: null } : readCommands(text, commands.from, commands.to);
  const seen = seenOf(read.calls);
  if (close === -1) return failed('unclosed_tag', limit, open, seen, true);
  if (read.fault !== null) return failed(read.fault.kind, read.fault.at, open, seen);
  if (commands === null && !isComplete) return failed('missing_field', body, open, seen);
  const again = next(OPEN, close, limit);
  if (again !== -1) return failed('extra_data', again, open, seen);
  const place = { charStart: open, charEnd: close + CLOSE.length };
  return { calls: isComplete ? [...read.calls, completeCall(place)] : read.calls, end: limit };
}

function sectionOf(text: string, name: string, from: number, to: number): { from: number; to: number } | null {
  const open = text.indexOf(`<${name}>`, from);
  if (open === -1 || open >= to) return null;
  const body = open + name.length + 2;
  const close = text.indexOf(`</${name}>`, body);
  return { from: body, to: close === -1 || close > to ? to : close };
}

interface Commands {
  readonly calls: StrictCall[];
  readonly fault: { readonly kind: FaultKind; readonly at: number } | null;
}

function readCommands(text: string, from: number, to: number): Commands {
  const calls: StrictCall[] = [];
  const failed = (kind: FaultKind, place: number): Commands => ({ calls, fault: { kind, at: place } });
  for (let at = from; ; ) {
    const open = text.indexOf(KEYSTROKES, at);
    const isLast = open === -1 || open >= to;
    if (text.slice(at, isLast ? to : open).trim() !== '') return failed('trailing_text', at);
    if (isLast) return { calls, fault: null };
    const tagEnd = text.indexOf('>', open);
    const close = tagEnd === -1 ? -1 : text.indexOf(END_KEYSTROKES, tagEnd);
    if (close === -1 || close >= to) return failed('unclosed_tag', open);
    const entries = new Map<string, StrictValue>([['keystrokes', text.slice(tagEnd + 1, close)]]);
    const attributes = text.slice(open + KEYSTROKES.length, tagEnd);
    const duration = DURATION.exec(attributes)?.[2];
    if (duration !== undefined) entries.set('duration', { kind: 'number', text: duration });
    else if (attributes.trim() !== '') return failed('bad_number', open);
    const value: StrictObject = { kind: 'object', entries };
    at = close + END_KEYSTROKES.length;
    calls.push(commandCall({ charStart: open, charEnd: at }, value));
  }
}

function seenOf(calls: readonly StrictCall[]): StrictValue {
  return calls.length === 0 ? null : { kind: 'list', items: calls.map(({ seen }) => seen) };
}
