import type { ReplayReport, ReplayStatus } from '../../../../src/rescore/replays.ts';
import { getJson } from '../../api/request.ts';
import { type Row, rowsOf, statement, textOf } from '../../api/rows.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import askedSql from './asked.sql?raw';

const REFRESH_MS = 3_000;

export interface KnownReplays {
  /** The newest first. */
  readonly replays: readonly ReplayStatus[];
  /** What each was asked to do: a row of asked.sql by its id. */
  readonly asked: ReadonlyMap<string, Row>;
}

/** They move on while one looks. */
export function useReplays(): Loaded<KnownReplays> {
  return useLoaded(
    'replays',
    async (signal) => {
      // In this order: what is listed has been asked for.
      const { replays } = await getJson<{ replays: ReplayStatus[] }>('v1/replays', signal);
      const rows = replays.length === 0 ? [] : await rowsOf(statement(askedSql), signal);
      return { replays, asked: new Map(rows.map((row) => [textOf(row, 'replay_id'), row])) };
    },
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
