import type { Role } from './caller.ts';

/** Where the run of a request stands, and so what a token that is not of all runs may ask. */
export type RunPlace =
  /** Nothing of a run is in it. */
  | { readonly in: 'none' }
  /** It spans runs: only a token of all runs may ask. */
  | { readonly in: 'all' }
  /** `:run` of the path; and where one more run is named, the field of the body. */
  | { readonly in: 'path'; readonly and?: string }
  /** `?run=`, without which only a token of all runs may ask. */
  | { readonly in: 'query' }
  /** A list of runs, `?run=` or not: the route leaves out what is not the caller's. */
  | { readonly in: 'list' }
  /** This field of the body. */
  | { readonly in: 'body'; readonly field: string }
  /** Each record of the body says its own (ingest/http/take-body.ts). */
  | { readonly in: 'record' }
  /** That of the lease: one of another run is answered as one that nobody has (routes/leases.ts). */
  | { readonly in: 'lease' }
  /** Those in which the producer has written (ingest/http/foreign-producer.ts). */
  | { readonly in: 'producer' };

export interface RouteAccess {
  /** null: everybody, without a token. */
  readonly roles: readonly Role[] | null;
  readonly run: RunPlace;
}

const OPEN: RouteAccess = { roles: null, run: { in: 'none' } };
const ANY: readonly Role[] = ['producer', 'trainer', 'reader', 'operator'];
const READERS: readonly Role[] = ['reader', 'operator'];
const PRODUCERS: readonly Role[] = ['producer', 'operator'];
const TRAINERS: readonly Role[] = ['trainer', 'operator'];
const OPERATORS: readonly Role[] = ['operator'];
const OF_TRAINING: readonly Role[] = ['trainer', 'reader', 'operator'];

const to = (roles: readonly Role[], run: RunPlace): RouteAccess => ({ roles, run });
const [NONE, ALL, PATH, QUERY, LIST] = [
  { in: 'none' },
  { in: 'all' },
  { in: 'path' },
  { in: 'query' },
  { in: 'list' },
] as const;

/**
 * Who may use each route, by method and pattern. What is not in it only an operator of all runs may use; a test holds it to the
 * routes that the server has.
 */
export const ROUTE_ACCESS: Readonly<Record<string, RouteAccess>> = {
  'GET /healthz': OPEN,
  'GET /readyz': OPEN,
  'GET /v1/session': OPEN,
  'POST /v1/session': OPEN,
  'DELETE /v1/session': OPEN,
  'GET /v1/openapi.json': to(ANY, NONE),
  'GET /v1/status': to(ANY, NONE),
  'GET /v1/schemas/:id': to(ANY, NONE),
  // It names runs.
  'GET /metrics': to(READERS, ALL),

  'POST /v1/steps': to(PRODUCERS, { in: 'record' }),
  'POST /v1/verdicts': to(PRODUCERS, { in: 'record' }),
  'POST /v1/producers/ended': to(PRODUCERS, { in: 'producer' }),
  // Bytes are asked for by their SHA-256: whoever can name it was told it, by a record of their run.
  'PUT /v1/blobs/:sha256': to(PRODUCERS, NONE),
  'GET /v1/blobs/:sha256': to(OF_TRAINING, NONE),
  'POST /v1/runs/:run/admission': to(['producer', 'trainer', 'operator'], PATH),

  'POST /v1/leases': to(TRAINERS, { in: 'body', field: 'run' }),
  'POST /v1/leases/:id/ack': to(TRAINERS, { in: 'lease' }),
  'POST /v1/leases/:id/release': to(TRAINERS, { in: 'lease' }),
  'POST /v1/leases/:id/reject': to(TRAINERS, { in: 'lease' }),
  'POST /v1/leases/:id/extend': to(TRAINERS, { in: 'lease' }),
  'POST /v1/runs/:run/checkpoints': to(TRAINERS, PATH),
  'POST /v1/runs/:run/rewind': to(TRAINERS, PATH),
  'POST /v1/runs/:run/fork': to(TRAINERS, { in: 'path', and: 'run' }),
  'POST /v1/versions': to(TRAINERS, { in: 'body', field: 'run' }),
  'GET /v1/runs/:run/delivery': to(OF_TRAINING, PATH),
  'GET /v1/ready': to(OF_TRAINING, QUERY),

  'GET /v1/runs': to(ANY, LIST),
  'GET /v1/gates': to(OF_TRAINING, LIST),
  'GET /v1/accounting': to(READERS, QUERY),
  'GET /v1/rollouts/:id': to(READERS, QUERY),
  'GET /v1/export': to(READERS, QUERY),
  'GET /v1/tasks': to(READERS, QUERY),
  'GET /v1/named': to(READERS, NONE),
  'GET /v1/named/:name': to(READERS, QUERY),
  'GET /v1/tokenizers': to(READERS, NONE),
  'POST /v1/pieces': to(READERS, NONE),
  'POST /v1/query': to(READERS, ALL),
  'GET /v1/replays': to(READERS, ALL),
  'GET /v1/replays/:id': to(READERS, ALL),
  'GET /v1/replays/:id/report': to(READERS, ALL),

  'POST /v1/replays': to(OPERATORS, ALL),
  'POST /v1/replays/:id/cancel': to(OPERATORS, ALL),
  'POST /v1/replays/:id/verdicts': to(OPERATORS, ALL),
  'POST /v1/runs/:run/gate': to(OPERATORS, PATH),
  'POST /v1/policies': to(OPERATORS, ALL),
  // What a verifier said of a content is used for every run with that content.
  'POST /v1/verifier-results': to(OPERATORS, ALL),
  'POST /v1/verifier-results/find': to(OPERATORS, ALL),
  // Records as they are: nobody looks whose run they are of.
  'POST /v1/import/schema': to(OPERATORS, ALL),
  'POST /v1/import/events': to(OPERATORS, ALL),
  'POST /v1/import/dead-letters': to(OPERATORS, ALL),
  'POST /v1/import/ended': to(OPERATORS, ALL),
  'GET /v1/import/drained': to(OPERATORS, ALL),
  'GET /v1/import/closed-runs': to(OPERATORS, ALL),

  // A quota may come with it.
  'POST /v1/runs': to(OPERATORS, ALL),
  'POST /v1/runs/:run/archive': to(OPERATORS, PATH),
  'POST /v1/runs/:run/unarchive': to(OPERATORS, PATH),
  'DELETE /v1/runs/:run': to(OPERATORS, PATH),
  'PUT /v1/runs/:run/quota': to(OPERATORS, ALL),
};

/** Paths that need no token, as they stand in the table. */
export function openPaths(): string[] {
  return Object.entries(ROUTE_ACCESS).flatMap(([route, { roles }]) => (roles === null ? [pathOf(route)] : []));
}

export function pathOf(route: string): string {
  return route.slice(route.indexOf(' ') + 1);
}
