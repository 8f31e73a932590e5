import type { ShippedQuery } from '../../api/named-queries.ts';

/** A value that a statement is asked with. */
export interface AskedParam {
  readonly name: string;
  /** Of ClickHouse, such as String. */
  readonly type: string;
  readonly meaning: string;
  /** As it is typed: lists as ClickHouse writes them, such as ['a','b']. */
  readonly value: string;
  readonly isMissing: boolean;
}

/** What the URL asks: a query that is shipped, or a statement of one's own, with its values. */
export interface AskedQuery {
  /** null: a statement of one's own. */
  readonly query: ShippedQuery | null;
  readonly sql: string;
  readonly params: readonly AskedParam[];
}

const PREFIX = 'p.';

/** null: nothing is asked, or nobody has shipped a query of that name. The run that is picked is what `run` is, where it is not given. */
export function askedQuery(
  queries: readonly ShippedQuery[],
  run: string,
  params: Readonly<Record<string, string>>,
): AskedQuery | null {
  const query = queries.find(({ name }) => name === params.named) ?? null;
  const sql = query?.sql ?? params.sql ?? '';
  if (sql === '' || (query === null && (params.named ?? '') !== '')) return null;
  const known = query?.params ?? paramsIn(sql);
  return {
    query,
    sql,
    params: known.map(({ name, type, meaning, preset }) => {
      const given = params[PREFIX + name];
      const fallback = name === 'run' && run !== '' ? run : preset;
      return {
        name,
        type,
        meaning,
        value: given ?? fallback ?? '',
        isMissing: given === undefined && fallback === null,
      };
    }),
  };
}

/** Changes of the URL that ask with such values; empty ones stand there, too, where the preset is something else. */
export function placeOfParams(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [PREFIX + name, value]));
}

/** `{name:Type}` of a statement, each once; text is empty where it is not given. */
export function paramsIn(sql: string): Array<{ name: string; type: string; meaning: string; preset: string | null }> {
  const types = new Map(
    [...sql.matchAll(/\{(\w+) *: *([^}]+)\}/g)].map(([, name = '', type = '']) => [name, type.trim()] as const),
  );
  return [...types].map(([name, type]) => ({ name, type, meaning: '', preset: type === 'String' ? '' : null }));
}
