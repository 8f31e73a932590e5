const MOST_CHARACTERS = 1_000_000;

/** Name of the parser that reads the model's replies, by `tool_parser` in the extra_json of a start; null: it names none. */
export function replyParserOf(extraJson: string | null): string | null {
  if (extraJson === null || extraJson.length > MOST_CHARACTERS || !extraJson.includes('"tool_parser"')) return null;
  try {
    const extra: unknown = JSON.parse(extraJson);
    const name: unknown = typeof extra === 'object' && extra !== null ? Reflect.get(extra, 'tool_parser') : null;
    return typeof name === 'string' ? name : null;
  } catch {
    return null;
  }
}
