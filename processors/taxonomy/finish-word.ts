const MOST_REMEMBERED = 1_000;
const MOST_CHARACTERS = 200;
/** Words by finish reason: a parse costs as much as all else that scoring does. The same reasons come again and again. */
const remembered = new Map<string, string>();

/** SGLang gives an object whose `type` is the reason; the others give the word itself. */
export function finishWordOf(finishReason: string): string {
  if (!finishReason.startsWith('{')) return finishReason;
  const known = remembered.get(finishReason);
  if (known !== undefined) return known;
  const word = typeIn(finishReason);
  if (finishReason.length > MOST_CHARACTERS) return word;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(finishReason, word);
  return word;
}

function typeIn(finishReason: string): string {
  try {
    const parsed: unknown = JSON.parse(finishReason);
    if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && typeof parsed.type === 'string')
      return parsed.type;
  } catch {
    // Not JSON: the word itself.
  }
  return finishReason;
}
