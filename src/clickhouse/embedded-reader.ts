import { RollstreamError } from '../errors.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { QueryParams } from './port.ts';
import { setParams } from './set-params.ts';
import { sqlTokens } from './sql-tokens.ts';
import type { Statements } from './statements.ts';

/**
 * Statements of users, their parameters set on the connection: given to the binding, a long one would keep every other statement
 * with parameters waiting, those of lanes and leases too. What is set stays set, so that each parameter that a statement names must
 * be given with it: else it would be answered with the value of somebody else's.
 */
export function createEmbeddedReader(statements: Statements): Statements {
  const alone = createOneAtATime();
  return {
    ...statements,
    read: (sql, params = {}) =>
      alone(async () => {
        await setParams(statements, namedIn(sql, params));
        return statements.read(sql);
      }),
  };
}

/** The names are words of the statement, and so safe to write into another one. */
function namedIn(sql: string, params: QueryParams): QueryParams {
  const tokens = sqlTokens(sql);
  if (!Array.isArray(tokens))
    throw new RollstreamError('RS_QUERY_REFUSED', `query refused: ${tokens.problem} cannot stand in a query`);
  const isMark = (at: number, text: string): boolean => tokens[at]?.kind === 'mark' && tokens[at].text === text;
  const names = tokens.flatMap(({ text }, at) => (isMark(at - 1, '{') && isMark(at + 1, ':') ? [text] : []));
  return Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(params, name) ? params[name] : undefined;
      if (value !== undefined && /^\w+$/.test(name)) return [name, value];
      throw new RollstreamError('RS_QUERY_FAILED', `Substitution \`${name}\` is not set.`);
    }),
  );
}
