import type { Logger } from 'pino';
import type { Store } from '../clickhouse/port.ts';
import type { RunRow } from '../clickhouse/tables/runs.ts';
import { RollstreamError } from '../errors.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { RunQuota, RunQuotas } from './quota.ts';
import type { RunState } from './run-state.ts';
import { readRunRows, readRunsFingerprint } from './stored-runs.ts';

/** What was said of each run, from memory: asked for every record. A run that nothing was said of is active. */
export interface RunRegistry extends RunQuotas {
  stateOf(runId: string): RunState;
  row(runId: string): RunRow | null;
  rows(): Iterable<RunRow>;
  /** Some run is not active: most pipelines never look further. */
  hasClosed(): boolean;
  /** RS_RUN_CLOSED where the run takes nothing more. */
  refuseClosed(runId: string): void;
  /** Looks at the store now. */
  refresh(): Promise<void>;
  /** Called after each change that was seen. */
  onChange(heard: () => void): void;
  close(): Promise<void>;
}

export interface RegistryDeps {
  readonly store: Pick<Store, 'query'>;
  /** Of a run that says nothing of its own. */
  readonly quota: RunQuota;
  /** Others write to the store, too: what they say is seen within this; null: nobody does. */
  readonly everyMs: number | null;
  readonly log: Logger;
  readonly sleep: Sleep;
}

/** What another server says is seen after so long. */
export const SEEN_AFTER_MS = 1_000;

export async function openRunRegistry({ store, quota, everyMs, log, sleep }: RegistryDeps): Promise<RunRegistry> {
  const ended = new AbortController();
  const listeners: Array<() => void> = [];
  let rows = new Map<string, RunRow>();
  let closed = 0;
  let fingerprint = '';

  const refresh = async (): Promise<void> => {
    const seen = await readRunsFingerprint(store);
    if (seen === fingerprint) return;
    rows = new Map((await readRunRows(store)).map((row) => [row.run_id, row]));
    closed = [...rows.values()].filter(({ state }) => state !== 'active').length;
    fingerprint = seen;
    for (const heard of listeners) heard();
  };

  const stateOf = (runId: string): RunState => rows.get(runId)?.state ?? 'active';

  const follow = async (ms: number): Promise<void> => {
    let isAway = false;
    while (!ended.signal.aborted) {
      await sleep(ms, ended.signal);
      if (ended.signal.aborted) return;
      try {
        await refresh();
        isAway = false;
      } catch (error) {
        // What was known last stays in force: an outage closes and opens nothing.
        if (!isAway) log.warn({ err: error }, 'what is said of runs is not known to change');
        isAway = true;
      }
    }
  };

  await refresh();
  const following = everyMs === null ? Promise.resolve() : follow(everyMs);

  return {
    of(runId) {
      const row = rows.get(runId);
      if (row === undefined) return quota;
      return {
        eventsPerSecond: row.events_per_second ?? quota.eventsPerSecond,
        inFlightBytes: row.in_flight_bytes ?? quota.inFlightBytes,
      };
    },
    stateOf,
    row: (runId) => rows.get(runId) ?? null,
    rows: () => rows.values(),
    hasClosed: () => closed > 0,
    refuseClosed(runId) {
      const state = closed === 0 ? 'active' : stateOf(runId);
      if (state !== 'active') throw closedError(runId, state);
    },
    refresh,
    onChange: (heard) => listeners.push(heard),
    async close() {
      ended.abort();
      await following;
    },
  };
}

export function closedError(runId: string, state: Exclude<RunState, 'active'>): RollstreamError {
  const advice =
    state === 'archived' ? 'unarchive it first' : 'POST /v1/runs makes a new one of that name, another name is better';
  const message = `run ${runId} ${state === 'archived' ? 'is archived' : 'was deleted'}: ${advice}`;
  return new RollstreamError('RS_RUN_CLOSED', message, { facts: { field: 'run', reason: state } });
}
