import type { DocumentIds } from '../../processors/model/control.ts';
import type { DiffTally } from '../../processors/replay/diff-tally.ts';
import type { ReplayRow } from '../clickhouse/tables/replays.ts';
import type { KeptChunk } from './kept-replays.ts';
import { keptRequestOf } from './kept-request.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { RefusedRollouts, ReplayPlan } from './replay-source.ts';
import type { ReplayReport, ReplayState, ReplayStatus } from './replays.ts';

/** How far a replay is, while it works. */
export interface ReplayProgress {
  state: ReplayState;
  error: ReplayStatus['error'];
  chunks: number;
  units: number;
  emitted: number;
  endedAtMs: number | null;
  report: ReplayReport | null;
  readonly startedAtMs: number;
  /** Counts the chunks that an earlier process did, too. */
  chunkDone(done: {
    readonly tally: DiffTally;
    readonly refused: readonly RefusedRollouts[];
    readonly units: number;
  }): void;
  planned(plan: Pick<ReplayPlan, 'chunks' | 'refused'>): void;
  /** From here on the rate is counted. */
  begin(): void;
  status(): ReplayStatus;
  row(): Omit<ReplayRow, 'atMs' | 'version'>;
}

export interface ProgressOf {
  readonly request: ReplayRequest;
  readonly override: Partial<DocumentIds>;
  /** '': it does not emit. */
  readonly emitTopic: string;
  /** ms since the epoch. */
  readonly startedAtMs: number;
  readonly now: () => number;
}

export function createReplayProgress({ request, override, emitTopic, startedAtMs, now }: ProgressOf): ReplayProgress {
  const done = { chunks: 0, units: 0, attempts: 0, changed: 0, refused: 0 };
  let began = { atMs: now(), attempts: 0, units: 0 };
  const requestJson = keptRequestOf(request);

  const progress: ReplayProgress = {
    state: 'running',
    ...{ error: null, chunks: 0, units: 0, emitted: 0, endedAtMs: null, report: null, startedAtMs },
    chunkDone({ tally, refused, units }) {
      done.chunks += 1;
      done.units += units;
      done.attempts += tally.attempts + tally.appeared;
      done.changed += tally.changed + tally.vanished + tally.appeared;
      done.refused += refused.reduce((sum, { n }) => sum + n, 0);
    },
    planned({ chunks, refused }) {
      progress.chunks = chunks.length;
      progress.units = chunks.reduce((sum, { units }) => sum + units, 0);
      done.refused += refused.reduce((sum, { n }) => sum + n, 0);
    },
    begin() {
      began = { atMs: now(), attempts: done.attempts, units: done.units };
    },
    status() {
      const seconds = (now() - began.atMs) / 1000;
      const isWorking = progress.state === 'running' && seconds > 0;
      const unitRate = isWorking ? (done.units - began.units) / seconds : 0;
      const rate = isWorking ? (done.attempts - began.attempts) / seconds : 0;
      return {
        ...{ replay_id: request.replayId, label: request.label, state: progress.state, interrupted: false },
        ...{ error: progress.error, saved: request.save, chunks: progress.chunks, chunks_done: done.chunks },
        ...{ units: progress.units, units_done: done.units, attempts: done.attempts, changed: done.changed },
        ...{ emitted: progress.emitted, started_at: timeOf(startedAtMs) },
        ended_at: progress.endedAtMs === null ? null : timeOf(progress.endedAtMs),
        rate: rate > 0 ? Math.round(rate) : null,
        eta_s: unitRate > 0 ? Math.ceil((progress.units - done.units) / unitRate) : null,
      };
    },
    row: () => ({
      ...{ replay_id: request.replayId, label: request.label, state: progress.state, request_json: requestJson },
      ...{ policy_id: override.policy_id ?? '', taxonomy_id: override.taxonomy_id ?? '', against: request.against },
      ...{ saved: request.save, emit_topic: emitTopic, chunks: progress.chunks, chunks_done: done.chunks },
      ...{ units: progress.units, units_done: done.units, attempts: done.attempts, changed: done.changed },
      ...{ refused: done.refused, emitted: progress.emitted },
      report_json: progress.report === null ? '' : JSON.stringify(progress.report),
      error: progress.error === null ? '' : JSON.stringify(progress.error),
      ...{ startedAtMs, endedAtMs: progress.endedAtMs },
    }),
  };
  return progress;
}

/** The status of a replay that this process does not work on. */
export function statusOfRow(row: ReplayRow, interrupted: boolean): ReplayStatus {
  const { replay_id, label, state, saved, chunks, chunks_done, units, units_done, attempts, changed, emitted } = row;
  const error: ReplayStatus['error'] = row.error === '' ? null : JSON.parse(row.error);
  return {
    ...{ replay_id, label, state, interrupted, error, saved, chunks, chunks_done, units, units_done },
    ...{ attempts, changed, emitted, started_at: timeOf(row.startedAtMs) },
    ended_at: row.endedAtMs === null ? null : timeOf(row.endedAtMs),
    ...{ rate: null, eta_s: null },
  };
}

export function doneOf(chunk: KeptChunk): Parameters<ReplayProgress['chunkDone']>[0] {
  const tally: DiffTally = JSON.parse(chunk.tally_json);
  const refused: RefusedRollouts[] = JSON.parse(chunk.refused_json);
  return { tally, refused, units: chunk.units };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
