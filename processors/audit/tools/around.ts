const MOST_CHARACTERS = 400;
const MOST_BEFORE = 160;

/** What stands around a place of a text. A copy: a slice would keep all of the text in memory. */
export function around(text: string, at: number, most = MOST_CHARACTERS): string {
  if (text.length <= most) return detached(text);
  const from = Math.max(0, Math.min(at - MOST_BEFORE, text.length - most));
  return detached(text.slice(from, from + most));
}

/** The same text, held by itself. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
