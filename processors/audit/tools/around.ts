const MOST_CHARACTERS = 400;
const MOST_BEFORE = 160;
/** The engine copies what is shorter. */
const LEAST_SLICE = 13;

/** What stands around a place of a text. A copy: a slice would keep all of the text in memory. */
export function around(text: string, at: number, most = MOST_CHARACTERS): string {
  if (text.length <= most) return detached(text);
  const from = Math.max(0, Math.min(at - MOST_BEFORE, text.length - most));
  return detached(text.slice(from, from + most));
}

/** The same text, held by itself. */
export function detached(text: string): string {
  // A slice of the joined text, which is flattened for it: a copy in one or two bytes a character, as the text has them.
  return text.length < LEAST_SLICE ? text : ` ${text}`.slice(1);
}
