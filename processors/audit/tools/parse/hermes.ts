import { callOfJson } from './call-of-json.ts';
import { scanJson } from './scan-json.ts';
import { skipBlank } from './skip-blank.ts';
import type { Block, Dialect, TagSource } from './strict-call.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

/** `<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>`, as Hermes and the Qwen models write it. */
export const HERMES: Dialect = { name: 'hermes', openers: [OPEN], isUntyped: false, read };

/**
 * A tag within a string is content, so the JSON is read first and the tags looked for after it. Linear: of two reads that
 * begin within one another's strings, the quotes end one at the next tag.
 */
function read({ text, next }: TagSource, at: number, limit: number): Block {
  const body = at + OPEN.length;
  const whole = scanJson(text, body, limit);
  const place = { charStart: at, bodyStart: body };
  if (whole.kind === 'ok') {
    const after = skipBlank(text, whole.end, limit);
    const { bound, isClosed } = boundOf(next, whole.end, limit);
    const end = isClosed ? bound + CLOSE.length : bound;
    if (isClosed && after === bound) return { calls: [callOfJson(text, whole, { ...place, charEnd: end })], end };
    const opens = text[after] === '{' || text[after] === '[';
    const kind = isClosed ? (opens ? 'extra_data' : 'trailing_text') : 'unclosed_tag';
    // Without its closing tag nobody can tell where it ends; what follows may be anything.
    const charEnd = isClosed ? end : whole.end;
    const isOpen = !isClosed && bound === limit;
    return { calls: [callOfJson(text, whole, { ...place, charEnd }, { kind, at: after }, isOpen)], end };
  }
  const { bound, isClosed } = boundOf(next, body, limit);
  const scan = whole.at < bound ? whole : scanJson(text, body, bound);
  const end = isClosed ? bound + CLOSE.length : bound;
  const isOpen = !isClosed && bound === limit;
  if (scan.kind === 'fault') {
    const kind = skipBlank(text, body, bound) === bound ? (isClosed ? 'missing_name' : 'unclosed_tag') : scan.fault;
    return { calls: [callOfJson(text, scan, { ...place, charEnd: end }, { kind, at: scan.at }, isOpen)], end };
  }
  return { calls: [callOfJson(text, scan, { ...place, charEnd: end }, { kind: 'unclosed_tag', at: scan.end })], end };
}

/** Where a block that is not well formed ends at the latest. */
function boundOf(next: TagSource['next'], from: number, limit: number): { bound: number; isClosed: boolean } {
  const close = next(CLOSE, from, limit);
  const open = next(OPEN, from, limit);
  const isClosed = close !== -1 && (open === -1 || close < open);
  return { bound: isClosed ? close : open === -1 ? limit : open, isClosed };
}
