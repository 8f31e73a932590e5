import { RollstreamError } from '../errors.ts';
import { outsideReach } from './outside-reach.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

/**
 * What `readonly` does not refuse. In chDB a read-only connection may still write files (INTO OUTFILE), read them (the scalar
 * `file()`, tables of the database `default`, whose names are paths) and open connections (`hasColumnInTable`). So a
 * statement is cut into tokens, and what could reach outside is refused by name wherever it stands: a name followed by a
 * parenthesis is a call, in a CTE, a sub-query, EXPLAIN or DESCRIBE alike. The engine's own refusal stays behind this one.
 */
export interface ReaderGuard {
  /** The statement without its final semicolon; throws RS_QUERY_REFUSED. */
  check(sql: string): string;
}

const FIRST_WORDS = new Set(['select', 'with', 'from', 'show', 'describe', 'desc', 'explain', 'exists']);
const SHOWN = new Set([
  'tables',
  'databases',
  'columns',
  'fields',
  'indexes',
  'index',
  'keys',
  'create',
  'functions',
  'full',
  'extended',
]);
const FORBIDDEN_WORDS = new Set(['into', 'outfile', 'infile', 'insert', 'settings', 'format', 'set']);
const SYSTEM_TABLES = new Set([
  'one',
  'numbers',
  'numbers_mt',
  'zeros',
  'zeros_mt',
  'columns',
  'functions',
  'time_zones',
]);

/**
 * `tableFunctions`: all that the engine has, so that one added by a later engine is refused until it is known here.
 * `systemTables`: more of them that may be read.
 */
export function createReaderGuard(
  tableFunctions: readonly string[],
  systemTables: readonly string[] = [],
): ReaderGuard {
  const reach = outsideReach(tableFunctions);
  const shown = new Set([...SYSTEM_TABLES, ...systemTables]);

  function check(sql: string): string {
    const cut = sqlTokens(sql);
    if (!Array.isArray(cut)) throw refused(`${cut.problem} at ${cut.at + 1} cannot stand in a query`);
    const { tokens, end } = withoutFinalSemicolon(cut);
    checkFirst(tokens);
    tokens.forEach((token, index) => {
      checkToken(token, tokens[index - 1], tokens[index + 1], tokens[index + 2]);
    });
    return sql.slice(0, end);
  }

  function checkToken(token: SqlToken, before?: SqlToken, after?: SqlToken, second?: SqlToken): void {
    if (token.kind === 'mark' && token.text === ';') throw refused('one statement at a time');
    if (token.kind !== 'word' && token.kind !== 'quoted') return;
    const name = token.text.toLowerCase();
    if (reach.isCall(token, after, second)) throw refused(`${token.text}() reaches outside of the store`);
    if (token.kind === 'word' && FORBIDDEN_WORDS.has(name) && !isMark(after, '(') && !isMark(before, '.')) {
      throw refused(
        `${token.text.toUpperCase()} is not allowed: queries only read, and their format and limits are set outside`,
      );
    }
    if (name === 'default') throw refused('the database default is not part of the store');
    if (name === 'identifier' && isMark(before, ':')) throw refused('identifiers cannot be parameters');
    if (name === 'system' && isMark(after, '.') && !isMark(before, '.')) {
      const table = second?.text.toLowerCase() ?? '';
      if (!shown.has(table)) throw refused(`system.${table} tells about the host`);
    }
  }

  return { check };
}

function checkFirst(tokens: readonly SqlToken[]): void {
  const words = tokens.filter((token) => !isMark(token, '(')).map((token) => token.text.toLowerCase());
  const [first = '', second = ''] = words;
  if (tokens.length === 0) throw refused('the statement is empty');
  if (!FIRST_WORDS.has(first))
    throw refused(`a query begins with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN or EXISTS, not ${first || 'that'}`);
  if (first === 'show' && !SHOWN.has(second)) throw refused(`SHOW ${second.toUpperCase()} tells about the host`);
}

function withoutFinalSemicolon(tokens: readonly SqlToken[]): { tokens: readonly SqlToken[]; end: number } {
  let count = tokens.length;
  while (isMark(tokens[count - 1], ';')) count--;
  return { tokens: tokens.slice(0, count), end: tokens[count - 1]?.end ?? 0 };
}

function isMark(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

function refused(why: string): RollstreamError {
  return new RollstreamError('RS_QUERY_REFUSED', `query refused: ${why}`);
}
