import { isJsonObject, parsedJson } from './parsed-json.ts';

const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text', 'input_text', 'output_text']);

/** The text of a message from its parts, JSON; null: it is not text alone. */
export function contentOf(partsJson: string | null): { readonly text: string; readonly parts: number } | null {
  const content = partsJson === null ? undefined : parsedJson(partsJson);
  if (typeof content === 'string') return { text: content, parts: 1 };
  if (!Array.isArray(content)) return null;
  const texts: string[] = [];
  for (const part of content) {
    const text =
      typeof part === 'string' ? part : isJsonObject(part) && TEXT_TYPES.has(part.type) ? part.text : undefined;
    if (typeof text !== 'string') return null;
    texts.push(text);
  }
  return { text: texts.join(''), parts: texts.length };
}
