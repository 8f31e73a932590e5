import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_CHANGES } from '../../../processors/replay/merge-tallies.ts';
import { createKeptReplays, type KeptReplays } from '../../../src/rescore/kept-replays.ts';
import { chunkRow, planReplay } from '../../../src/rescore/plan-replay.ts';
import { readReplayRequest } from '../../../src/rescore/read-replay-request.ts';
import { createReplayProgress } from '../../../src/rescore/replay-progress.ts';
import type { ReplayChunk, ReplayPlan, ReplaySource } from '../../../src/rescore/replay-source.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
let kept: KeptReplays;
const NOW = 1_700_000_000_000;
beforeAll(async () => {
  temporary = await temporaryStore();
  kept = createKeptReplays(temporary.store, () => NOW);
});
afterAll(() => temporary.remove());

const never = new AbortController().signal;
const saved = (replayId: string) => readReplayRequest({ replay_id: replayId, save: true, label: 'x' });
const progressOf = (replayId: string) =>
  createReplayProgress({ request: saved(replayId), override: {}, emitTopic: '', startedAtMs: NOW, now: () => NOW });

function planOf(n: number, end: number): ReplayPlan {
  const chunks = Array.from({ length: n }, (_, chunk): ReplayChunk => {
    const unit = `r/0/r/${chunk}é"'\\`;
    return { chunk, partition: 1, fromUnit: unit, toUnit: unit, fromRollout: 'a', toRollout: 'b', units: 2, events: 9 };
  });
  return { ends: [0, end], chunks, refused: [{ reason: 'open', detail: 'd', n: 1, rollouts: ['x'] }] };
}

function planned(plan: ReplayPlan): Pick<ReplaySource, 'plan'> & { asked: number } {
  const source = {
    asked: 0,
    async plan() {
      source.asked += 1;
      return plan;
    },
  };
  return source;
}

it('is what it was planned as when it goes on, with what is done', async () => {
  const progress = progressOf('again');
  const { plan, before } = await planReplay(planned(planOf(3, 70)), saved('again'), kept, never);
  expect(before).toEqual([]);
  progress.planned(plan);
  await kept.keep(progress.row());
  const [first] = plan.chunks;
  if (first === undefined) throw new Error('no chunk');
  await kept.keepChunks([chunkRow(saved('again'), plan, first, { tally: NO_CHANGES, refused: [] })]);

  const grown = planned(planOf(5, 90));
  const again = await planReplay(grown, saved('again'), kept, never);
  expect(grown.asked).toBe(0);
  expect(again.plan).toEqual(planOf(3, 70));
  expect(again.before).toMatchObject([{ chunk: 0, state: 'done', tally_json: JSON.stringify(NO_CHANGES) }]);
});

it('is planned again when it died before its plan was whole, and what was left of the first plan is forgotten', async () => {
  await kept.keep(progressOf('halfway').row());
  // Four chunks are written, then it dies.
  await planReplay(planned(planOf(4, 70)), saved('halfway'), kept, never);
  const { plan } = await planReplay(planned(planOf(2, 90)), saved('halfway'), kept, never);
  expect(plan).toEqual(planOf(2, 90));
  const progress = progressOf('halfway');
  progress.planned(plan);
  await kept.keep(progress.row());
  expect((await planReplay(planned(planOf(7, 99)), saved('halfway'), kept, never)).plan).toEqual(planOf(2, 90));
});

it('of a dry run is not kept', async () => {
  await planReplay(planned(planOf(2, 5)), readReplayRequest({ replay_id: 'dry' }), kept, never);
  expect(await kept.chunks('dry')).toEqual([]);
});

it('of two rows of a replay the one that was kept last counts, also where the clock went back or another process went on', async () => {
  const progress = progressOf('clock');
  await kept.keep(progress.row());
  progress.state = 'cancelled';
  const earlier = createKeptReplays(temporary.store, () => NOW - 60_000);
  expect((await earlier.find('clock'))?.state).toBe('running');
  await earlier.keep(progress.row());
  expect(await kept.find('clock')).toMatchObject({
    ...{ replay_id: 'clock', state: 'cancelled', label: 'x', saved: true, startedAtMs: NOW, endedAtMs: null },
  });
  expect((await kept.list()).map(({ replay_id }) => replay_id)).toContain('clock');
});
