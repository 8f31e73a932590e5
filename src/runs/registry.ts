import type { Logger } from 'pino';
import type { Store } from '../clickhouse/port.ts';
import type { RunRow } from '../clickhouse/tables/runs.ts';
import { RollstreamError } from '../errors.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { RunQuota, RunRules } from './quota.ts';
import type { ClosedState, RunState } from './run-state.ts';
import { readRunRows, readRunsFingerprint } from './stored-runs.ts';

/** What was said of each run, from memory: asked for every record. A run that nothing was said of is active. */
export interface RunRegistry extends RunRules {
  stateOf(runId: string): RunState;
  row(runId: string): RunRow | null;
  rows(): Iterable<RunRow>;
  /** Some run is not active: most pipelines never look further. */
  hasClosed(): boolean;
  /** The record at this offset of ready is of a run that was deleted. */
  isGone(runId: string, readyOffset: number): boolean;
  /** Runs whose rows are being removed. */
  ending(): ReadonlySet<string>;
  /** Those that take nothing more. */
  closed(): ReadonlyMap<string, ClosedState>;
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
  let closed: ReadonlyMap<string, ClosedState> = new Map();
  let ending: ReadonlySet<string> = new Set();
  let fingerprint = '';

  const refresh = async (): Promise<void> => {
    const seen = await readRunsFingerprint(store);
    if (seen === fingerprint) return;
    rows = new Map((await readRunRows(store)).map((row) => [row.run_id, row]));
    closed = new Map(
      [...rows.values()].flatMap(({ run_id, state }) => (state === 'active' ? [] : [[run_id, state] as const])),
    );
    ending = new Set([...closed].flatMap(([runId, state]) => (state === 'deleting' ? [runId] : [])));
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
    hasClosed: () => closed.size > 0,
    closed: () => closed,
    isGone(runId, readyOffset) {
      const row = rows.get(runId);
      if (row === undefined) return false;
      return row.state === 'deleting' || row.state === 'deleted' || readyOffset < row.ready_below;
    },
    ending: () => ending,
    refuseClosed(runId) {
      const state = closed.get(runId);
      if (state !== undefined) throw closedError(runId, state);
    },
    refresh,
    onChange: (heard) => listeners.push(heard),
    async close() {
      ended.abort();
      await following;
    },
  };
}

export function closedError(runId: string, state: ClosedState): RollstreamError {
  return new RollstreamError('RS_RUN_CLOSED', closedText(runId, state), { facts: { field: 'run', reason: state } });
}

export function closedText(runId: string, state: ClosedState): string {
  const advice =
    state === 'archived' ? 'unarchive it first' : 'POST /v1/runs makes a new one of that name, another name is better';
  return `run ${runId} ${state === 'archived' ? 'is archived' : 'was deleted'}: ${advice}`;
}
