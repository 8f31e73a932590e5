import type { ReplayReport, ReplayStatus } from '../../../../src/rescore/replays.ts';
import { getJson } from '../../api/request.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';

const REFRESH_MS = 3_000;

/** All replays, the newest first; they move on while one looks. */
export function useReplays(): Loaded<ReplayStatus[]> {
  return useLoaded(
    'replays',
    async (signal) => (await getJson<{ replays: ReplayStatus[] }>('v1/replays', signal)).replays,
    REFRESH_MS,
  );
}

/** The report of one that is done; null: it is not, or none is asked for. Asked again when its state changes. */
export function useReport(status: ReplayStatus | null): Loaded<ReplayReport | null> {
  const id = status?.state === 'done' ? status.replay_id : null;
  return useLoaded(`report ${id}`, (signal) =>
    id === null ? Promise.resolve(null) : getJson<ReplayReport>(`v1/replays/${encodeURIComponent(id)}/report`, signal),
  );
}
