import type { Store } from '../clickhouse/port.ts';
import { encodeRuns, type RunRow } from '../clickhouse/tables/runs.ts';
import { RollstreamError } from '../errors.ts';
import type { RunRegistry } from './registry.ts';
import { readRunRow } from './stored-runs.ts';

export interface WriteRunDeps {
  readonly store: Pick<Store, 'query' | 'insert'>;
  readonly registry: Pick<RunRegistry, 'refresh'>;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Says something new of a run; resolves with the row that is in force then. */
export type WriteRun = (before: RunRow, changed: Partial<Omit<RunRow, 'run_id' | 'version'>>) => Promise<RunRow>;

/**
 * LOOK AGAIN: two servers may write at once, with one number; the store keeps one of the two. 1 A archives, B deletes; 2 the row of A
 * is kept; 3 B would remove rows of a run that everybody takes for archived.
 */
export function createWriteRun({ store, registry, now }: WriteRunDeps): WriteRun {
  return async function writeRun(before, changed) {
    const row: RunRow = { ...before, ...changed, changedAtMs: now(), version: before.version + 1 };
    if (((await readRunRow(store, row.run_id))?.version ?? 0) !== before.version) throw overtaken(row.run_id);
    await store.insert(encodeRuns([row]));
    const after = await readRunRow(store, row.run_id);
    await registry.refresh();
    if (after !== null && after.version === row.version && after.state === row.state) return after;
    throw overtaken(row.run_id);
  };
}

function overtaken(runId: string): RollstreamError {
  return new RollstreamError('RS_BUSY', `somebody else has just changed run ${runId}: look at it, and ask again`);
}

/** What is known of a run that nothing was said of. */
export function newRunRow(runId: string, atMs: number): RunRow {
  return {
    ...{ run_id: runId, state: 'active', purpose: null, note: '', events_per_second: null, in_flight_bytes: null },
    ...{ createdAtMs: atMs, changedAtMs: atMs, changed_by: '', removed: {} },
    ...{ ready_below: 0, held_below: 0, gate_seq: 0, version: 0 },
  };
}
