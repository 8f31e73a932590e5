import type { Logger } from 'pino';
import { gateOf, NO_GATES } from '../../processors/model/gate.ts';
import { createGrantKeeper } from '../admission/kept-grants.ts';
import type { App } from '../app.ts';
import type { RunRow } from '../clickhouse/tables/runs.ts';
import { suggestion } from '../config/nearest.ts';
import { RollstreamError } from '../errors.ts';
import { gateRuleOf } from '../gate/gate-rule-of.ts';
import { sleep } from '../lanes/sleep.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import { createConfiguredPolicy } from '../policies/configured-policy.ts';
import { usesOf } from './in-use.ts';
import { leasesOut } from './leases-out.ts';
import { listRuns } from './list-runs.ts';
import { closedError, SEEN_AFTER_MS } from './registry.ts';
import { createRemoveRun, isForgotten } from './remove-run.ts';
import type { NewRun, RunSummary, Runs } from './runs.ts';
import { readRunRow } from './stored-runs.ts';
import { whatStays } from './what-stays.ts';
import { createWriteRun, newRunRow } from './write-run.ts';

export interface LocalRunsDeps {
  readonly app: App;
  readonly log: Logger;
  /** Resolves when the lanes have committed all that the log held at the call. */
  readonly drained: () => Promise<void>;
  /** Other servers work on the same data. */
  readonly hasOthers: boolean;
  /** Some server that runs now may grant leases. */
  readonly isGranted: boolean;
}

export interface LocalRuns extends Runs {
  /** Goes on with what a process before had begun to delete. Its failures are logged. */
  resume(): Promise<void>;
}

/** Lanes flush at once where somebody waits; those of other workers within their interval. */
const READ_WITHIN_MS = 30_000;

/** Runs of the data that this process has open. One change at a time. */
export function createLocalRuns({ app, log, drained, hasOthers, isGranted }: LocalRunsDeps): LocalRuns {
  const { store, broker, blobs, topics, now } = app;
  const registry = app.runs;
  const ended = new AbortController();
  const inTurn = createOneAtATime();
  const write = createWriteRun({ store, registry, now });
  const policy = createConfiguredPolicy(store, app.settings);
  const removeRun = createRemoveRun({
    ...{ store, broker, blobs, topics, write, drained, isGranted, log, sleep, now, ended: ended.signal },
    seenAfterMs: hasOthers ? 2 * SEEN_AFTER_MS : 0,
    forgetGrants: createGrantKeeper(broker, topics.state).forget,
  });

  const rowOf = async (runId: string): Promise<RunRow> => (await readRunRow(store, runId)) ?? newRunRow(runId, now());

  const summaryOf = async (runId: string): Promise<RunSummary> => {
    const [found] = await listRuns(store, runId);
    if (found !== undefined) return found;
    const known = (await listRuns(store)).map(({ run_id }) => run_id);
    throw new RollstreamError('RS_NOT_FOUND', `no run is named ${runId}${suggestion(runId, known)}`, {
      facts: { field: 'run' },
    });
  };

  const changed = async (row: RunRow, change: Partial<RunRow>): Promise<RunSummary> => {
    await write(row, change);
    return summaryOf(row.run_id);
  };

  const setState = (runId: string, state: 'active' | 'archived', by: string): Promise<RunSummary> =>
    inTurn(async () => {
      const before = await summaryOf(runId);
      if (before.state === 'deleting' || before.state === 'deleted') throw closedError(runId, before.state);
      return before.state === state ? before : changed(await rowOf(runId), { state, changed_by: by });
    });

  /**
   * THE NAME OF A DELETED RUN: lanes still obey the last change of its gate, and know the numbers of its changes; and what they decided
   * last they remember until a batch later: 1 rollout A of the run is decided; 2 the run is deleted; 3 a new one of that name has its A,
   * which is called late. So the new run begins as any other, by a change that comes behind them, once lanes have read it.
   */
  const beginGate = async (runId: string): Promise<void> => {
    const rule = gateRuleOf(await policy(), runId, []);
    const { state } = gateOf(NO_GATES, runId, rule);
    const why = { reason: 'a new run has the name of a deleted one' };
    await app.gates.change(runId, () => ({ state, classes: [], by: 'release', why, windowFromMs: now() }));
    await lanesRead(runId);
  };

  /** RS_BUSY where no worker runs. */
  const lanesRead = async (runId: string): Promise<void> => {
    const over = new AbortController();
    const late = sleep(READ_WITHIN_MS, AbortSignal.any([over.signal, ended.signal])).then(() => 'late');
    const outcome = await Promise.race([drained(), late]).finally(() => over.abort());
    if (outcome !== 'late') return;
    const message = `no worker has read yet that ${runId} begins anew: make it again when one runs`;
    throw new RollstreamError('RS_BUSY', message);
  };

  const create = async (runId: string, { purpose, note, quota }: NewRun, by: string): Promise<RunSummary> => {
    const row = await readRunRow(store, runId);
    const [known] = await listRuns(store, runId);
    const said = {
      ...{ purpose, note, events_per_second: quota.eventsPerSecond, in_flight_bytes: quota.inFlightBytes },
    };
    if (row?.state === 'deleted') {
      if (!(await isForgotten(broker, topics.leases, row))) {
        const message = `leases of the deleted run ${runId} are not forgotten yet: a server that grants does it as it starts`;
        throw new RollstreamError('RS_BUSY', message);
      }
      const anew = { ...said, state: 'active', removed: {}, createdAtMs: now(), changed_by: by } as const;
      // While it takes nothing.
      await beginGate(runId);
      return changed(row, anew);
    }
    if (known === undefined) return changed(newRunRow(runId, now()), { ...said, changed_by: by });
    // Asked again, since the answer was lost.
    if (known.declared && known.state === 'active' && isSaid(known, said)) return known;
    throw new RollstreamError('RS_CHECK_FAILED', `run ${runId} is there already (${known.state})`, {
      facts: { field: 'run_id', reason: known.state },
    });
  };

  return {
    list: () => listRuns(store),
    create: (runId, wanted, by) => inTurn(() => create(runId, wanted, by)),
    archive: (runId, by) => setState(runId, 'archived', by),
    unarchive: (runId, by) => setState(runId, 'active', by),
    setQuota: (runId, { eventsPerSecond, inFlightBytes }, by) =>
      inTurn(async () => {
        const { state } = await summaryOf(runId);
        if (state === 'deleting' || state === 'deleted') throw closedError(runId, state);
        const quota = { events_per_second: eventsPerSecond, in_flight_bytes: inFlightBytes };
        return changed(await rowOf(runId), { ...quota, changed_by: by });
      }),
    remove: (runId, { confirm, isForced, mayName }, by) =>
      inTurn(async () => {
        if (confirm !== runId) {
          const message = `confirm: the name of the run is needed, ${runId}, since this removes all that it has`;
          throw new RollstreamError('RS_USAGE', message, { facts: { field: 'confirm' } });
        }
        await summaryOf(runId);
        const leases = await leasesOut(broker, topics.leases, { runId, nowMs: now() });
        const uses = isForced ? [] : await usesOf(store, runId, leases, mayName);
        if (uses.length > 0) {
          const message = `run ${runId} is in use: ${uses.join('; ')}. With force it is deleted all the same`;
          throw new RollstreamError('RS_CHECK_FAILED', message, { facts: { field: 'force', reason: 'in_use' } });
        }
        const begun = await write(await rowOf(runId), { state: 'deleting', changed_by: by });
        const { removed } = await removeRun(begun);
        return { run_id: runId, state: 'deleted', removed, stays: whatStays(topics) };
      }),
    async resume() {
      for (const row of [...registry.rows()].filter(({ state }) => state === 'deleting')) {
        log.info({ run: row.run_id }, 'going on with a deletion');
        await inTurn(() => removeRun(row)).catch((error: unknown) => {
          if (!ended.signal.aborted) log.error({ err: error, run: row.run_id }, 'a run is not deleted yet');
        });
      }
    },
    async close() {
      ended.abort();
      await inTurn(async () => undefined);
    },
  };
}

function isSaid(
  known: RunSummary,
  said: Pick<RunRow, 'purpose' | 'note' | 'events_per_second' | 'in_flight_bytes'>,
): boolean {
  return (
    known.purpose === said.purpose &&
    known.note === said.note &&
    known.events_per_second === said.events_per_second &&
    known.in_flight_bytes === said.in_flight_bytes
  );
}
