import { getJson, postJson } from './request.ts';
import type { Row } from './row.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

export { numberOf, type Row, textOf } from './row.ts';

export type Params = Readonly<Record<string, string | number>>;

/** Where rows come from: a query that is shipped, or a statement of the page's own. */
export type Source =
  | { readonly kind: 'named'; readonly name: string; readonly params: Params }
  | { readonly kind: 'sql'; readonly sql: string; readonly params: Params };

export function named(name: string, params: Params = {}): Source {
  return { kind: 'named', name, params };
}

export function statement(sql: string, params: Params = {}): Source {
  return { kind: 'sql', sql, params };
}

export function rowsOf(source: Source, signal?: AbortSignal): Promise<Row[]> {
  if (source.kind === 'sql') return postJson('v1/query', { sql: source.sql, params: source.params }, signal);
  const given = Object.entries(source.params).map(([name, value]) => [name, String(value)]);
  return getJson(`v1/named/${encodeURIComponent(source.name)}?${new URLSearchParams(given)}`, signal);
}

/** null: nothing is asked. */
export function useRows(source: Source | null, refreshMs: number | null = null): Loaded<Row[]> {
  return useLoaded(
    JSON.stringify(source),
    (signal) => (source === null ? Promise.resolve([]) : rowsOf(source, signal)),
    refreshMs,
  );
}
