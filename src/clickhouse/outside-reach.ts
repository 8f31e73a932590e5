import type { SqlToken } from './sql-tokens.ts';

/** Tells calls of functions that read files, open connections or tell about the host. */
export interface OutsideReach {
  /** `token` is a name; the two tokens behind it say whether it is called. */
  isCall(token: SqlToken, after: SqlToken | undefined, second: SqlToken | undefined): boolean;
}

/** Table functions that only make rows, or read what the statement itself names. */
const HARMLESS_TABLE_FUNCTIONS = new Set([
  ...['numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'generateseries', 'generate_series', 'generaterandom', 'primes'],
  ...['values', 'null', 'view'],
]);
/** Scalar functions that read files, open connections or tell about the host. */
const FORBIDDEN_FUNCTIONS = new Set([
  ...[
    'file',
    'hascolumnintable',
    'catboostevaluate',
    'getserversetting',
    'getmacro',
    'showcertificate',
    'addresstoline',
  ],
  ...[
    'addresstolinewithinlines',
    'addresstosymbol',
    'filesystemavailable',
    'filesystemcapacity',
    'filesystemunreserved',
  ],
  ...['getclienthttpheader', 'python', 'joinget', 'joingetornull', 'sleep', 'sleepeachrow', 'modelevaluate'],
]);
/** `tableFunctions`: all that the engine has. */
export function outsideReach(tableFunctions: readonly string[]): OutsideReach {
  const forbidden = new Set(FORBIDDEN_FUNCTIONS);
  for (const name of tableFunctions) {
    if (!HARMLESS_TABLE_FUNCTIONS.has(name.toLowerCase())) forbidden.add(name.toLowerCase());
  }
  return {
    isCall(token, after, second) {
      if (after?.kind !== 'mark' || after.text !== '(') return false;
      const name = token.text.toLowerCase();
      // `format(…)` with a string first is the scalar function; a word first would be the table function of that name.
      const scalarFormat = name === 'format' && second?.kind === 'string';
      return !scalarFormat && (forbidden.has(name) || name.startsWith('ai'));
    },
  };
}
