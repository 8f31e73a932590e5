/** A call as an engine's own parser understood it. */
export interface ParsedCall {
  readonly name: string;
  /** JSON as Python writes it: `{"query": "x"}`. */
  readonly arguments: string;
}

export interface ParsedText {
  /** What stands beside the calls. */
  readonly content: string;
  readonly calls: readonly ParsedCall[];
}

export const CALL_OPEN = '<tool_call>';
export const CALL_CLOSE = '</tool_call>';

/**
 * The calls in a text, as the Hermes parser of a dialect finds them, its mistakes included. vLLM's takes an unclosed call whose JSON
 * is whole, and gives all of the text back where one call is unsound; SGLang's takes closed ones, leaves out what is unsound or of a
 * tool that was not offered, reads `parameters` too, and takes a call without arguments for one with none.
 */
export function parseHermes(text: string, dialect: 'sglang' | 'vllm', toolNames: readonly string[]): ParsedText {
  const open = text.indexOf(CALL_OPEN);
  if (open === -1) return { content: text, calls: [] };
  const before = text.slice(0, open);
  return dialect === 'vllm' ? vllm(text, before) : sglang(text, before.trim(), toolNames);
}

function vllm(text: string, content: string): ParsedText {
  const calls: ParsedCall[] = [];
  for (const [, closed, unclosed] of text.matchAll(/<tool_call>(.*?)<\/tool_call>|<tool_call>(.*)/gs)) {
    const call = objectOf(closed ?? unclosed ?? '');
    const { name, arguments: args } = call ?? {};
    if (typeof name !== 'string' || args === undefined) return { content: text, calls: [] };
    calls.push({ name, arguments: pythonJson(args) });
  }
  return { content, calls };
}

function sglang(text: string, content: string, toolNames: readonly string[]): ParsedText {
  const calls: ParsedCall[] = [];
  for (const [, body = ''] of text.matchAll(/<tool_call>\n(.*?)\n<\/tool_call>/gs)) {
    const { name, parameters, arguments: args } = objectOf(body) ?? {};
    if (typeof name !== 'string' || !toolNames.includes(name)) continue;
    calls.push({ name, arguments: pythonJson(truthy(parameters) ?? args ?? {}) });
  }
  return { content, calls };
}

/** Python's `or`: an empty object counts as none. */
function truthy(value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value === null || value === '' || value === 0 || value === false || isEmpty ? undefined : value;
}

function objectOf(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = pythonValue(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}

const BEYOND_JSON = /"(?:[^"\\]|\\.)*"|Infinity|NaN/gs;
const NAN = '\ue000NaN';

/** As `json.loads` reads it: NaN and Infinity too. */
export function pythonValue(json: string): unknown {
  const plain = json.replace(BEYOND_JSON, (found) =>
    found === 'NaN' ? JSON.stringify(NAN) : found === 'Infinity' ? '1e999' : found,
  );
  return JSON.parse(plain, (_, value: unknown) => (value === NAN ? Number.NaN : value));
}

/** `json.dumps(value, ensure_ascii=False)` of what was read. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`)
      .join(', ')}}`;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return JSON.stringify(value) ?? 'null';
}
