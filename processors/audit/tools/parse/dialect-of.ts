import { GLM } from './glm.ts';
import { HERMES } from './hermes.ts';
import { KIMI } from './kimi.ts';
import { QWEN_XML } from './qwen-xml.ts';
import { skipBlank } from './skip-blank.ts';
import type { Dialect } from './strict-call.ts';
import { TERMINUS_JSON } from './terminus-json.ts';
import { TERMINUS_XML } from './terminus-xml.ts';

const OPEN = '<tool_call>';
const MOST_OPENERS = 64;

/** The dialect of a parser by its name; null: another one, or not known. */
export function dialectOfParser(parser: string): Dialect | null {
  const name = parser.toLowerCase();
  if (name.includes('terminus'))
    return name.includes('xml') ? TERMINUS_XML : name.includes('json') ? TERMINUS_JSON : null;
  if (name.includes('kimi')) return KIMI;
  if (name.includes('glm')) return GLM;
  if (/qwen.*(?:coder|xml)/.test(name)) return QWEN_XML;
  return name.includes('hermes') || name.includes('qwen') ? HERMES : null;
}

/** The dialect that a text is written in; null: it has no call of one that is known. */
export function dialectOfText(text: string): Dialect | null {
  if (text.includes('<|tool_calls_section_begin|>')) return KIMI;
  let at = text.indexOf(OPEN);
  if (at === -1) return isBareXml(text) ? QWEN_XML : null;
  for (let seen = 0; at !== -1 && seen < MOST_OPENERS; seen++) {
    const body = skipBlank(text, at + OPEN.length, text.length);
    if (text.startsWith('<function=', body)) return QWEN_XML;
    if ('{["\''.includes(text[body] ?? ' ')) return HERMES;
    if (/^[\w.:-]+\s*(?:<arg_key>|<\/tool_call>)/.test(text.slice(body, body + 200))) return GLM;
    at = text.indexOf(OPEN, at + OPEN.length);
  }
  return HERMES;
}

/** Some models leave out the outer tags. A mere mention of the inner one is no call. */
function isBareXml(text: string): boolean {
  let at = text.indexOf('<function=');
  for (let seen = 0; at !== -1 && seen < MOST_OPENERS; seen++) {
    if (/^<function=[\w.:-]+>\s{0,20}<(?:parameter=|\/function>)/.test(text.slice(at, at + 200))) return true;
    at = text.indexOf('<function=', at + 1);
  }
  return false;
}
