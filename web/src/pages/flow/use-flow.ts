import type { Accounting, RunAccounting } from '../../../../src/clickhouse/accounting.ts';
import type { StatusAnswer } from '../../../../src/server/routes/status.ts';
import { getJson, RequestFailed } from '../../api/request.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';

/** The page looks again so often. */
export const REFRESH_MS = 5_000;

/** The books of one run, or of all (empty); a run that nobody has heard of has none. */
export function useBooks(run: string): Loaded<readonly RunAccounting[]> {
  return useLoaded(
    `books ${run}`,
    async (signal) => {
      const query = run === '' ? '' : `?${new URLSearchParams({ run })}`;
      try {
        return (await getJson<Accounting>(`v1/accounting${query}`, signal)).runs;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 404 && error.code === 'RS_NOT_FOUND') return [];
        throw error;
      }
    },
    REFRESH_MS,
  );
}

/** How far the lanes of the server are. */
export function useStatus(): Loaded<StatusAnswer> {
  return useLoaded('status', (signal) => getJson<StatusAnswer>('v1/status', signal), REFRESH_MS);
}
