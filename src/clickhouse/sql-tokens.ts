/** Words, numbers, strings and marks of a statement, as ClickHouse's lexer cuts them. Comments and blanks are left out. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'mark';
  /** Text of a word, number or mark; content of a quoted identifier. Empty for strings, which mean nothing here. */
  readonly text: string;
  /** Where it begins and ends in the statement. */
  readonly start: number;
  readonly end: number;
}

/** The statement cannot be cut as ClickHouse would, so nothing can be said about it. */
export interface SqlNotCut {
  readonly at: number;
  readonly problem: string;
}

const SPACE = /[ \t\r\n\f\v]+/y;
const COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /'(?:[^'\\]|\\[\s\S]|'')*'/y;
const QUOTED = /"(?:[^"\\]|"")*"|`(?:[^`\\]|``)*`/y;
const NUMBER = /0[xX][0-9a-fA-F]+|0[bB][01]+|(?:[0-9][0-9_]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const MARK = /[-(){}[\],;.+*/%=<>!:?|&^@~]/y;

/**
 * Strict on purpose: what ClickHouse's lexer might read otherwise than this one (dollar strings, typographic quotes, `#`
 * comments, escapes in identifiers, NUL) is not cut at all.
 */
export function sqlTokens(sql: string): SqlToken[] | SqlNotCut {
  const tokens: SqlToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(sql)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  if (sql.includes('\0')) return { at: sql.indexOf('\0'), problem: 'a NUL character' };
  while (at < sql.length) {
    const start = at;
    if (match(SPACE) !== null || match(COMMENT) !== null) continue;
    if (sql.startsWith('/*', at)) return { at, problem: 'a comment that does not end' };
    let text = match(STRING);
    if (text !== null) {
      tokens.push({ kind: 'string', text: '', start, end: at });
      continue;
    }
    text = match(QUOTED);
    if (text !== null) {
      const quote = text.slice(0, 1);
      const content = text.slice(1, -1).replaceAll(quote + quote, quote);
      tokens.push({ kind: 'quoted', text: content, start, end: at });
      continue;
    }
    text = match(WORD);
    if (text !== null) {
      tokens.push({ kind: 'word', text, start, end: at });
      continue;
    }
    text = match(NUMBER);
    if (text !== null) {
      tokens.push({ kind: 'number', text, start, end: at });
      continue;
    }
    text = match(MARK);
    if (text === null) return { at, problem: problemAt(sql, at) };
    tokens.push({ kind: 'mark', text, start, end: at });
  }
  return tokens;
}

function problemAt(sql: string, at: number): string {
  const character = String.fromCodePoint(sql.codePointAt(at) ?? 0);
  if (character === "'") return 'a string that does not end';
  if (character === '"' || character === '`') return 'an identifier that does not end, or that holds a backslash';
  return `the character ${character}`;
}

/** Statements of a file of our own, cut at semicolons outside of strings and comments. */
export function sqlStatements(sql: string): string[] {
  const tokens = sqlTokens(sql);
  if (!Array.isArray(tokens)) throw new SyntaxError(`${tokens.problem} at ${tokens.at}`);
  const statements: string[] = [];
  let from: number | null = null;
  let end = 0;
  for (const token of tokens) {
    if (token.kind === 'mark' && token.text === ';') {
      if (from !== null) statements.push(sql.slice(from, end));
      from = null;
    } else {
      from ??= token.start;
      end = token.end;
    }
  }
  if (from !== null) statements.push(sql.slice(from, end));
  return statements;
}
