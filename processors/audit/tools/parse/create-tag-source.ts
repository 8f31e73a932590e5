import type { TagSource } from './strict-call.ts';

/** Remembers where it found a tag: a text full of openers without closers is searched once, not once an opener. */
export function createTagSource(text: string): TagSource {
  const found = new Map<string, { from: number; at: number }>();
  return {
    text,
    next(tag, from, limit) {
      let known = found.get(tag);
      if (known === undefined || from < known.from || (known.at !== -1 && from > known.at)) {
        known = { from, at: text.indexOf(tag, from) };
        found.set(tag, known);
      }
      return known.at === -1 || known.at + tag.length > limit ? -1 : known.at;
    },
  };
}
