import type { RunSummary } from '../../../src/runs/runs.ts';
import { getJson } from './request.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

const REFRESH_MS = 10_000;

/** The runs of the store, the last decided first. */
export function useRuns(): Loaded<RunSummary[]> {
  return useLoaded(
    'runs',
    async (signal) => {
      const { runs } = await getJson<{ runs: RunSummary[] }>('v1/runs', signal);
      return runs.sort((a, b) => (b.last_decided_at ?? '').localeCompare(a.last_decided_at ?? ''));
    },
    REFRESH_MS,
  );
}
