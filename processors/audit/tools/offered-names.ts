const MOST_KEPT = 64;
const MOST_CHARACTERS = 1_000_000;
/** By text: the attempts of a run are offered the same tools, and 100,000 of them are open at a time. */
const kept = new Map<string, readonly string[] | null>();

/** Names of the tools in a list of definitions, as OpenAI's APIs or strands write them. null: unknown, also where there are none or one has no name. */
export function offeredNames(toolsJson: string | null): readonly string[] | null {
  if (toolsJson === null || toolsJson.length > MOST_CHARACTERS) return null;
  const known = kept.get(toolsJson);
  if (known !== undefined) return known;
  const names = namesIn(toolsJson);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(toolsJson, names);
  return names;
}

function namesIn(toolsJson: string): readonly string[] | null {
  let tools: unknown;
  try {
    tools = JSON.parse(toolsJson);
  } catch {
    return null;
  }
  if (!Array.isArray(tools) || tools.length === 0) return null;
  const names: string[] = [];
  for (const tool of tools) {
    const name = nameOf(tool) ?? nameOf(memberOf(tool, 'function')) ?? nameOf(memberOf(tool, 'toolSpec'));
    if (name === null) return null;
    names.push(name);
  }
  return names;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function nameOf(value: unknown): string | null {
  const name = memberOf(value, 'name');
  return typeof name === 'string' && name !== '' ? name : null;
}
