/** Values larger than this, and more than so many, are compared as they are written. */
const MOST_CHARACTERS = 1 << 20;
const MOST_VALUES = 64;

/** Two texts are one once the JSON objects in them are read: only blanks, escapes or the order of keys differ. */
export function isSameJson(one: string, other: string): boolean {
  if (one.length > MOST_CHARACTERS || other.length > MOST_CHARACTERS || !one.includes('{')) return false;
  const plain = canonical(one);
  return plain !== null && plain === canonical(other);
}

/** Each object that can be read, written in one way; null: there is none. */
function canonical(text: string): string | null {
  let written = '';
  let read = 0;
  let from = 0;
  for (let tries = 0; tries < MOST_VALUES; tries++) {
    const start = text.indexOf('{', from);
    if (start === -1) break;
    const end = endOfObject(text, start);
    const value = end === -1 ? null : plainJson(text.slice(start, end));
    written += text.slice(from, start) + (value ?? '{');
    if (value !== null) read += 1;
    from = value === null ? start + 1 : end;
  }
  return read === 0 ? null : written + text.slice(from);
}

/** Its closing brace, outside of strings; -1: it does not close. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** null: no JSON, or nested deeper than can be written. */
function plainJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return null;
  }
}
