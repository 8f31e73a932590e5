import { getJson } from './request.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

/** As `GET /v1/named` lists it. */
export interface ShippedQuery {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  readonly notes: string;
  readonly params: ReadonlyArray<{
    readonly name: string;
    readonly type: string;
    readonly meaning: string;
    readonly preset: string | null;
  }>;
  readonly example: string;
  readonly sql: string;
}

let asked: Promise<ShippedQuery[]> | null = null;

/** They do not change while a server runs: asked once. */
export function shippedQueries(): Promise<ShippedQuery[]> {
  asked ??= getJson<{ queries: ShippedQuery[] }>('v1/named').then(
    ({ queries }) => queries,
    (error: unknown) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}

export function useShippedQueries(): Loaded<ShippedQuery[]> {
  return useLoaded('named', shippedQueries);
}
