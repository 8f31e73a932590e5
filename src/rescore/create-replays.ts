import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { encodeDocuments } from '../clickhouse/tables/documents.ts';
import { RollstreamError } from '../errors.ts';
import { sleep } from '../lanes/sleep.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import { checkRequest } from './check-request.ts';
import { createEmitReplay } from './emit/emit-replay.ts';
import { keepVerdicts } from './keep-verdicts.ts';
import { createKeptReplays } from './kept-replays.ts';
import { keptRequestOf } from './kept-request.ts';
import { askedRows, readAsked } from './replay-documents.ts';
import { createReplayProgress, type ReplayProgress, statusOfRow } from './replay-progress.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { ReplayStatus, Replays } from './replays.ts';
import { runReplay } from './run-replay.ts';

export interface ReplaysDeps {
  readonly log: Logger;
  /** Nobody else works on the data: not on Kafka. */
  readonly isAlone: boolean;
  /** Events of a chunk at most, about; absent: as many as 64 MB hold. */
  readonly chunkEvents?: number;
}

interface Job {
  readonly request: ReplayRequest;
  readonly progress: ReplayProgress;
  readonly stop: AbortController;
  /** Never rejects. */
  readonly over: Promise<void>;
  isOver: boolean;
}

/** Each has a thread, and chunks in memory. */
const MOST_AT_ONCE = 2;
/** What only this process knows is forgotten, the oldest first, when there are more. */
const MOST_REMEMBERED = 100;

const CANCELLED = 'cancelled';

/**
 * Replays of the pipeline of this process. What was saved is known by the store, a dry run by this process alone. Who finds one that
 * is running, and not here, cannot see its process: on a data folder there is no other, so it is interrupted; on Kafka it is when
 * nothing was kept of it for a while.
 */
export function createReplays(app: App, { log, isAlone, chunkEvents }: ReplaysDeps): Replays {
  const { store, topics, settings, now } = app;
  const kept = createKeptReplays(store, now);
  const emit = createEmitReplay({ ...app, log, sleep });
  const jobs = new Map<string, Job>();
  const oneAtATime = createOneAtATime();

  function launch(request: ReplayRequest, progress: ReplayProgress, override: Awaited<ReturnType<typeof readAsked>>) {
    const stop = new AbortController();
    const { signal } = stop;
    const deps = { app, kept, emit, log, now, ...(chunkEvents === undefined ? {} : { chunkEvents }) };
    const over = runReplay({ request, override, progress, signal }, deps)
      .catch((error: unknown) => endedBy(error, request, progress, signal))
      .catch((error: unknown) =>
        log.error({ replay: request.replayId, err: error }, 'the end of a replay was not kept'),
      )
      .finally(() => {
        job.isOver = true;
      });
    const job: Job = { request, progress, stop, over, isOver: false };
    jobs.delete(request.replayId);
    jobs.set(request.replayId, job);
    for (const [id, { isOver }] of jobs) if (jobs.size > MOST_REMEMBERED && isOver) jobs.delete(id);
  }

  async function endedBy(error: unknown, request: ReplayRequest, progress: ReplayProgress, signal: AbortSignal) {
    // It goes on where it was when it is started again.
    if (signal.aborted && signal.reason !== CANCELLED) return;
    progress.state = signal.aborted ? 'cancelled' : 'failed';
    progress.endedAtMs = now();
    if (!signal.aborted) {
      const isKnown = error instanceof RollstreamError;
      log.warn({ replay: request.replayId, err: error }, 'a replay failed');
      progress.error = {
        code: isKnown ? error.code : 'RS_INTERNAL',
        message: error instanceof Error ? error.message : String(error),
      };
    }
    if (request.save) await kept.keep(progress.row());
  }

  async function start(request: ReplayRequest): Promise<ReplayStatus> {
    const { replayId } = request;
    const here = jobs.get(replayId);
    if (here?.stop.signal.aborted === true) await here.over;
    if (here !== undefined && (!here.isOver || here.progress.state === 'done')) {
      refuseOther(replayId, keptRequestOf(here.request), keptRequestOf(request));
      return here.progress.status();
    }
    const before = await kept.find(replayId);
    if (before !== null) refuseOther(replayId, before.request_json, keptRequestOf(request));
    if (before?.state === 'done') return statusOfRow(before, false);
    if ([...jobs.values()].filter(({ isOver }) => !isOver).length >= MOST_AT_ONCE)
      throw new RollstreamError('RS_BUSY', `${MOST_AT_ONCE} replays are at work: start it when one of them is done`);
    const override = await readAsked(request, settings);
    await checkRequest(app, kept, request);
    const emitTopic = request.emit === null ? '' : (request.emit.topic ?? topics.ready);
    const startedAtMs = before?.startedAtMs ?? now();
    const progress = createReplayProgress({ request, override, emitTopic, startedAtMs, now });
    if (request.save) {
      const documents = askedRows(request);
      if (documents.length > 0) await store.insert(encodeDocuments(documents));
      // What it was planned as stays.
      progress.chunks = before?.chunks ?? 0;
      await kept.keep(progress.row());
    }
    launch(request, progress, override);
    return progress.status();
  }

  async function statusOf(replayId: string): Promise<ReplayStatus> {
    const job = jobs.get(replayId);
    if (job !== undefined) return job.progress.status();
    const row = await kept.find(replayId);
    if (row === null) throw notFound(replayId);
    return statusOfRow(row, isInterrupted(row));
  }

  const isInterrupted = ({ state, atMs }: { readonly state: string; readonly atMs: number }): boolean =>
    (state === 'running' || state === 'emitting') && (isAlone || now() - atMs > QUIET_MS);

  return {
    addVerdicts: (replayId, verdicts) =>
      oneAtATime(async () => {
        const job = jobs.get(replayId);
        const isWorking = job !== undefined && !job.isOver;
        const state = isWorking ? 'running' : (await kept.find(replayId))?.state;
        if (isWorking || state === 'done')
          throw new RollstreamError('RS_CHECK_FAILED', `the replay ${replayId} is ${state}: verdicts come before it`);
        await keepVerdicts(store, replayId, verdicts, now());
      }),
    start: (request) => oneAtATime(() => start(request)),
    status: statusOf,
    async report(replayId) {
      const job = jobs.get(replayId);
      if (job !== undefined && job.progress.report !== null) return job.progress.report;
      const row = await kept.find(replayId);
      if (row === null && job === undefined) throw notFound(replayId);
      if (row === null || row.report_json === '')
        throw new RollstreamError('RS_NOT_FOUND', `the replay ${replayId} has no report: it is not done`);
      return JSON.parse(row.report_json);
    },
    async list() {
      const here = [...jobs.values()].map(({ progress }) => progress.status());
      const known = new Set(here.map(({ replay_id }) => replay_id));
      const others = (await kept.list()).filter(({ replay_id }) => !known.has(replay_id));
      const all = [...here, ...others.map((row) => statusOfRow(row, isInterrupted(row)))];
      return all.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
    },
    async cancel(replayId) {
      const job = jobs.get(replayId);
      if (job !== undefined) {
        // Not in its turn: what it is at may take a while, and nobody else is to wait for that.
        job.stop.abort(CANCELLED);
        await job.over;
        return job.progress.status();
      }
      return oneAtATime(async () => {
        const row = await kept.find(replayId);
        if (row === null) throw notFound(replayId);
        if (row.endedAtMs !== null) return statusOfRow(row, false);
        if (!isInterrupted(row))
          throw new RollstreamError('RS_CHECK_FAILED', `another process works on ${replayId}: Ctrl-C there cancels it`);
        const cancelled = { ...row, state: 'cancelled', endedAtMs: now() } as const;
        await kept.keep(cancelled);
        return statusOfRow(cancelled, false);
      });
    },
    async close() {
      for (const { stop } of jobs.values()) stop.abort();
      await Promise.all([...jobs.values()].map(({ over }) => over));
    },
  };
}

/** A replay that works keeps a row far more often, but for a chunk that takes long. */
const QUIET_MS = 120_000;

function refuseOther(replayId: string, before: string, asked: string): void {
  if (before === asked) return;
  throw new RollstreamError('RS_CHECK_FAILED', `the replay ${replayId} was asked for otherwise: take another id`, {
    facts: { field: 'replay_id' },
  });
}

function notFound(replayId: string): RollstreamError {
  return new RollstreamError('RS_NOT_FOUND', `no replay has the id ${replayId}`, { facts: { record: replayId } });
}
