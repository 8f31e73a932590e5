import type { DiffTally } from '../../processors/replay/diff-tally.ts';
import type { KeptChunk, KeptReplays } from './kept-replays.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { RefusedRollouts, ReplayChunk, ReplayPlan, ReplaySource } from './replay-source.ts';

/** Number of the chunk that stands for what the plan itself refused. */
export const OF_PLAN = -1;

/** The plan, and the chunks of it that are done: as it was planned, where that is kept; else anew, and kept before anything is done. */
export async function planReplay(
  source: Pick<ReplaySource, 'plan'>,
  request: ReplayRequest,
  kept: KeptReplays,
  signal: AbortSignal,
): Promise<{ readonly plan: ReplayPlan; readonly before: readonly KeptChunk[] }> {
  const known = request.save ? await kept.find(request.replayId) : null;
  if (known !== null && known.chunks > 0) return keptPlan(await kept.chunks(request.replayId), known.chunks);
  const plan = await source.plan();
  signal.throwIfAborted();
  if (request.save) {
    const none = { tally: null, refused: plan.refused };
    const rows = plan.chunks.map((chunk) => chunkRow(request, plan, chunk, null));
    await kept.keepChunks([...rows, chunkRow(request, plan, OF_PLAN_CHUNK, none)]);
  }
  return { plan, before: [] };
}

const OF_PLAN_CHUNK: ReplayChunk = {
  ...{ chunk: OF_PLAN, partition: 0, fromUnit: '', toUnit: '', fromRollout: '', toRollout: '', units: 0, events: 0 },
};

/** A plan that was made again may have had fewer chunks than the one before. */
function keptPlan(rows: readonly KeptChunk[], count: number): { plan: ReplayPlan; before: KeptChunk[] } {
  const planned = rows.filter(({ chunk }) => chunk >= 0 && chunk < count);
  const ends: number[] = [];
  for (const { partition, end } of planned) ends[partition] = end;
  const refused: RefusedRollouts[] = JSON.parse(rows.find(({ chunk }) => chunk === OF_PLAN)?.refused_json ?? '[]');
  const chunks = planned.map(
    ({ chunk, partition, from_unit, to_unit, from_rollout, to_rollout, units, events }): ReplayChunk => ({
      ...{ chunk, partition, units, events },
      ...{ fromUnit: from_unit, toUnit: to_unit, fromRollout: from_rollout, toRollout: to_rollout },
    }),
  );
  return {
    plan: { ends: Array.from(ends, (end: number | undefined) => end ?? 0), chunks, refused },
    before: planned.filter(({ state }) => state === 'done'),
  };
}

export function chunkRow(
  { replayId }: ReplayRequest,
  plan: ReplayPlan,
  chunk: ReplayChunk,
  done: { readonly tally: DiffTally | null; readonly refused: readonly RefusedRollouts[] } | null,
): KeptChunk {
  return {
    ...{ replay_id: replayId, chunk: chunk.chunk, partition: chunk.partition, end: plan.ends[chunk.partition] ?? 0 },
    ...{ from_unit: chunk.fromUnit, to_unit: chunk.toUnit, from_rollout: chunk.fromRollout },
    ...{ to_rollout: chunk.toRollout, units: chunk.units, events: chunk.events },
    state: done === null ? 'planned' : 'done',
    tally_json: done === null || done.tally === null ? '' : JSON.stringify(done.tally),
    refused_json: done === null ? '' : JSON.stringify(done.refused),
  };
}
