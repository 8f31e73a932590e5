import type { Logger } from 'pino';
import type { DocumentIds } from '../../processors/model/control.ts';
import { mergeTallies, NO_CHANGES } from '../../processors/replay/merge-tallies.ts';
import type { EmitReplay } from './emit/emit-replay.ts';
import { countVerdicts } from './keep-verdicts.ts';
import type { KeptReplays } from './kept-replays.ts';
import { mergeRefused } from './merge-refused.ts';
import { openSource, type ScoringApp } from './open-scoring.ts';
import { OF_PLAN, planReplay } from './plan-replay.ts';
import { doneOf, type ReplayProgress } from './replay-progress.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { EmittedCounts } from './replays.ts';
import { type ScoredPart, scoreChunks } from './score-chunks.ts';

export interface RunReplayDeps {
  readonly app: ScoringApp;
  readonly kept: KeptReplays;
  readonly emit: EmitReplay;
  readonly chunkEvents?: number;
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
}

export interface RunReplayOf {
  readonly request: ReplayRequest;
  readonly override: Partial<DocumentIds>;
  readonly progress: ReplayProgress;
  /** Aborted: nothing more is begun, and nothing is written any more when it rejects. */
  readonly signal: AbortSignal;
}

/** Who looks from elsewhere sees that it works. */
const KEEP_EVERY_MS = 10_000;

/**
 * Scores all that is planned and not done, then emits. CRASHES: documents, then the row of the replay, then its chunks as planned,
 * then the row with their number. 1 it dies before that: it is planned again; 2 later: what was planned stands, however the store
 * has grown; 3 between the rows of a chunk and its own: the chunk is made again, and its rows are the same (their version is their
 * offset).
 */
export async function runReplay(of: RunReplayOf, deps: RunReplayDeps): Promise<void> {
  const { request, override, progress, signal } = of;
  const { replayId, against } = request;
  const keep = async (): Promise<void> => {
    if (request.save) await deps.kept.keep(progress.row());
  };
  let isFirst = false;
  const parts = await score();
  const verdicts = request.withVerdicts ? await countVerdicts(deps.app.store, replayId) : null;
  const emitted = await emit();
  progress.state = 'done';
  progress.endedAtMs = deps.now();
  const inOrder = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
  progress.report = {
    status: progress.status(),
    policy_id: override.policy_id ?? null,
    taxonomy_id: override.taxonomy_id ?? null,
    against,
    diff: inOrder.reduce((sum, { tally }) => mergeTallies(sum, tally), NO_CHANGES),
    refused: mergeRefused(inOrder.map(({ refused }) => refused)),
    ...(verdicts !== null && { verdicts }),
    emitted,
  };
  await keep();

  async function score(): Promise<Map<number, ScoredPart>> {
    const source = await openSource(deps.app, { ...deps, request, override });
    const done = new Map<number, ScoredPart>();
    try {
      const { plan, before } = await planReplay(source, request, deps.kept, signal);
      progress.planned(plan);
      done.set(OF_PLAN, { tally: NO_CHANGES, refused: plan.refused });
      for (const chunk of before) {
        const part = doneOf(chunk);
        done.set(chunk.chunk, part);
        progress.chunkDone(part);
      }
      await keep();
      progress.begin();
      const todo = plan.chunks.filter(({ chunk }) => !done.has(chunk));
      // Nothing is emitted before all is scored.
      isFirst = todo.length > 0;
      if (todo.length > 0) await scoreChunks({ ...of, source, plan, todo, keep, parts: done }, deps);
    } finally {
      await source.close();
    }
    return done;
  }

  async function emit(): Promise<EmittedCounts | null> {
    if (request.emit === null) return null;
    progress.state = 'emitting';
    await keep();
    let keptAtMs = deps.now();
    const onProgress = (count: number): void => {
      progress.emitted = count;
      if (deps.now() - keptAtMs < KEEP_EVERY_MS) return;
      keptAtMs = deps.now();
      // Of several rows the one that was asked for last counts, whenever it arrives.
      keep().catch((error: unknown) => deps.log.warn({ replay: replayId, err: error }, 'its progress was not kept'));
    };
    const counts = await deps.emit({ replayId, emit: request.emit, against, signal, isFirst, onProgress });
    progress.emitted = counts.trajectories;
    return counts;
  }
}
