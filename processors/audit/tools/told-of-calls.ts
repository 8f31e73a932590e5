const MOST_CHARACTERS = 1_000_000;

/** Name of the parser that reads the model's replies, by `tool_parser` in the extra_json of a start; null: it names none. */
export function replyParserOf(extraJson: string | null): string | null {
  const name = toldAs(extraJson, 'tool_parser');
  return typeof name === 'string' ? name : null;
}

/** false: by `lists_calls` in the extra_json of a start, what the loop made of its texts is not recorded, as between it and an engine. */
export function listsCallsOf(extraJson: string | null): boolean {
  return toldAs(extraJson, 'lists_calls') !== false;
}

function toldAs(extraJson: string | null, name: string): unknown {
  if (extraJson === null || extraJson.length > MOST_CHARACTERS || !extraJson.includes(`"${name}"`)) return null;
  try {
    const extra: unknown = JSON.parse(extraJson);
    return typeof extra === 'object' && extra !== null ? Reflect.get(extra, name) : null;
  } catch {
    return null;
  }
}
