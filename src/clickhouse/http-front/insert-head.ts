/** The statement in front of the rows: `INSERT INTO t (a, b) SETTINGS … FORMAT X`, or `… VALUES`. */
export interface InsertHead {
  /** Table and columns as they were written. */
  readonly target: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly format: string;
  /** Where the rows begin. */
  readonly end: number;
}

const NAME = '(?:[A-Za-z_][A-Za-z0-9_]*|`[^`\\\\]+`|"[^"\\\\]+")';
const TARGET = `${NAME}(?:\\s*\\.\\s*${NAME})*`;
const SETTING = "[A-Za-z_]\\w*\\s*=\\s*(?:[-\\w.]+|'[^'\\\\]*')";
const HEAD = new RegExp(
  `^\\s*INSERT\\s+INTO\\s+(?:TABLE\\s+)?(${TARGET}\\s*(?:\\(\\s*${TARGET}(?:\\s*,\\s*${TARGET})*\\s*\\))?)` +
    `\\s*(?:SETTINGS\\s+(${SETTING}(?:\\s*,\\s*${SETTING})*)\\s+)?(?:FORMAT\\s+(\\w+)[ \\t]*;?[ \\t]*\\r?\\n?|(VALUES)\\s*)`,
  'i',
);

/** null: no INSERT with rows behind it. Bytes are Latin-1 here, since rows may be anything; names are ASCII. */
export function insertHead(latin1: string): InsertHead | null {
  const match = HEAD.exec(latin1);
  if (match === null) return null;
  const [whole, target = '', settings = '', format] = match;
  return { target, settings: settingsOf(settings), format: format ?? 'Values', end: whole.length };
}

function settingsOf(text: string): Map<string, string> {
  const pairs = text.match(new RegExp(SETTING, 'g')) ?? [];
  return new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split(/\s*=\s*(.*)/s);
      return [name, value.replace(/^'(.*)'$/s, '$1')] as const;
    }),
  );
}
