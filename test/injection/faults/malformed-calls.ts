/** A call that is not to the letter of its dialect. */
export interface MalformedCall {
  readonly kind: string;
  /** Between the tags. */
  readonly written: string;
  /** The text that the fault begins with; null: where the call ends, or begins. */
  readonly mark: string | null;
  readonly isAtStart?: boolean;
  /** It can only be the last of its turn. */
  readonly isLast?: boolean;
  readonly isUnclosed?: boolean;
  /** What a lenient parser makes of it. */
  readonly name: string;
  readonly repaired: Readonly<Record<string, unknown>>;
}

const LS = { name: 'run', repaired: { command: 'ls -la' } };

/** Cases 53, 54, 57 to 63. */
export const MALFORMED_CALLS: readonly MalformedCall[] = [
  { ...LS, kind: 'trailing_comma', written: '{"name": "run", "arguments": {"command": "ls -la",}}', mark: ',}' },
  { ...LS, kind: 'single_quotes', written: "{'name': 'run', 'arguments': {'command': 'ls -la'}}", mark: "'name" },
  {
    ...{ kind: 'bad_escape', name: 'run', repaired: { command: "printf 'hello'" } },
    ...{ written: `{"name": "run", "arguments": {"command": "printf \\'hello\\'"}}`, mark: `\\'hello` },
  },
  {
    ...{ kind: 'control_char', name: 'write_file', repaired: { content: '第一行\n第二行' } },
    ...{ written: '{"name": "write_file", "arguments": {"content": "第一行\n第二行"}}', mark: '\n第二' },
  },
  { ...LS, kind: 'unquoted_key', written: '{name: "run", "arguments": {"command": "ls -la"}}', mark: 'name:' },
  {
    ...{ ...LS, kind: 'extra_data', mark: '{"name": "calc"' },
    written: '{"name": "run", "arguments": {"command": "ls -la"}}\n{"name": "calc", "arguments": {}}',
  },
  {
    ...{ ...LS, kind: 'trailing_text', mark: '<|call|>' },
    written: '{"name": "run", "arguments": {"command": "ls -la"}}<|call|>',
  },
  { ...LS, kind: 'unclosed_bracket', written: '{"name": "run", "arguments": {"command": "ls -la"}', mark: null },
  {
    ...{ ...LS, kind: 'unclosed_string', written: '{"name": "run", "arguments": {"command": "ls -la', mark: null },
    isLast: true,
  },
  {
    ...{ ...LS, kind: 'unclosed_tag', written: '{"name": "run", "arguments": {"command": "ls -la"}}', mark: null },
    ...{ isLast: true, isUnclosed: true },
  },
  {
    ...{ kind: 'nan', name: 'calc', repaired: { x: null } },
    ...{ written: '{"name": "calc", "arguments": {"x": NaN}}', mark: 'NaN' },
  },
  {
    ...{ kind: 'python_literal', name: 'calc', repaired: { exact: true } },
    ...{ written: '{"name": "calc", "arguments": {"exact": True}}', mark: 'True' },
  },
  {
    ...{ ...LS, kind: 'comment', mark: '// all' },
    written: '{"name": "run", "arguments": {"command": "ls -la" // all\n}}',
  },
  {
    ...{ kind: 'duplicate_key', name: 'run', repaired: { command: 'pwd' } },
    ...{ written: '{"name": "run", "arguments": {"command": "ls", "command": "pwd"}}', mark: '"command": "pwd"' },
  },
  {
    ...{ kind: 'bad_number', name: 'calc', repaired: { x: 7 } },
    ...{ written: '{"name": "calc", "arguments": {"x": 007}}', mark: '007' },
  },
  { ...LS, kind: 'missing_name', written: '{"arguments": {"command": "ls -la"}}', mark: null, isAtStart: true },
  {
    ...{ ...LS, kind: 'missing_arguments', mark: null, isAtStart: true },
    written: '{"name": "run", "args": {"command": "ls -la"}}',
  },
  {
    ...{ ...LS, kind: 'wrong_type', mark: '"{\\"command' },
    written: '{"name": "run", "arguments": "{\\"command\\": \\"ls -la\\"}"}',
  },
];
