import { type SqlToken, sqlTokens } from '../sql-tokens.ts';

/** A statement without what HTTP clients put behind it. */
export interface CutStatement {
  readonly sql: string;
  /** null: none was named. */
  readonly format: string | null;
  readonly settings: ReadonlyMap<string, string>;
}

/** Takes `SETTINGS a = 1, …` and `FORMAT X` from the end, in either order. What stands elsewhere stays where it is. */
export function cutStatement(sql: string): CutStatement {
  const cut = sqlTokens(sql);
  const settings = new Map<string, string>();
  // What cannot be cut is for the guard to refuse.
  if (!Array.isArray(cut)) return { sql, format: null, settings };
  let format: string | null = null;
  let tokens = withoutSemicolons(cut);
  for (;;) {
    const name = tokens.at(-1);
    if (format === null && isWord(tokens.at(-2), 'format') && name?.kind === 'word') {
      format = name.text;
      tokens = tokens.slice(0, -2);
      continue;
    }
    const begin = settings.size === 0 ? settingsBegin(tokens) : -1;
    if (begin < 0) break;
    for (const [key, value] of assignments(tokens.slice(begin + 1), sql) ?? []) settings.set(key, value);
    tokens = tokens.slice(0, begin);
  }
  return { sql: sql.slice(0, tokens.at(-1)?.end ?? 0), format, settings };
}

function withoutSemicolons(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let count = tokens.length;
  while (tokens[count - 1]?.text === ';') count--;
  return tokens.slice(0, count);
}

/** Where the last SETTINGS stands whose assignments reach to the end; -1: nowhere. */
function settingsBegin(tokens: readonly SqlToken[]): number {
  const begin = tokens.findLastIndex((token) => isWord(token, 'settings'));
  return begin > 0 && assignments(tokens.slice(begin + 1), '') !== null ? begin : -1;
}

function assignments(tokens: readonly SqlToken[], sql: string): Array<[string, string]> | null {
  const found: Array<[string, string]> = [];
  for (let at = 0; at < tokens.length; ) {
    const [name, equals, value, after] = tokens.slice(at, at + 4);
    if (name?.kind !== 'word' || equals?.text !== '=' || value === undefined || value.kind === 'mark') return null;
    if (after !== undefined && after.text !== ',') return null;
    found.push([name.text, valueText(value, sql)]);
    at += 4;
    if (after !== undefined && at >= tokens.length) return null;
  }
  return found.length === 0 ? null : found;
}

function valueText(value: SqlToken, sql: string): string {
  if (value.kind !== 'string') return value.text;
  const quoted = sql.slice(value.start + 1, value.end - 1);
  return quoted.replace(/\\([\s\S])|''/g, (_match, escaped: string | undefined) => escaped ?? "'");
}

function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}
