import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeliveryRow, encodeDeliveries } from '../../../../src/clickhouse/tables/deliveries.ts';
import { encodeDocuments } from '../../../../src/clickhouse/tables/documents.ts';
import { encodeGates } from '../../../../src/clickhouse/tables/gates.ts';
import { encodeLineages } from '../../../../src/clickhouse/tables/lineages.ts';
import { createEmitReplay, type EmitArgs, type EmitReplayDeps } from '../../../../src/rescore/emit/emit-replay.ts';
import { createAnnounceVersion } from '../../../../src/versions/announce-version.ts';
import { createAnnouncedVersions } from '../../../../src/versions/announced-versions.ts';
import { documentsOf, policyText } from '../../../processors/harness.ts';
import { sampleDelivery, sampleLineage } from '../../clickhouse/tables/sample-deliveries.ts';
import { emitArgs, emitPipeline } from './emit-pipeline.ts';
import { type ReplayedGroup, type ReplayOf, writeReplay } from './replayed-groups.ts';

let pipeline: Awaited<ReturnType<typeof emitPipeline>>;
let count = 0;
beforeAll(async () => {
  pipeline = await emitPipeline();
});
afterAll(() => pipeline.close());

/** Runs and replays of a test are its own. */
async function replayed(groups: readonly ReplayedGroup[], over: Partial<ReplayOf> = {}) {
  const of = { run: `run ${count}`, replayId: `replay-${count++}`, groups, ...over };
  await writeReplay(pipeline.store, pipeline.codecs, of);
  return of;
}

const emitted = (replayId: string, over: Partial<EmitArgs> = {}) =>
  createEmitReplay(pipeline.deps)(emitArgs(replayId, over));
const asked = (over: Partial<EmitArgs['emit']>) => ({
  emit: { topic: null, again: false, stale: 'leave_out', ...over } as const,
});

/** The trainer has trained it, in the first version of its unit. */
function trained(run: string, rollout: string, group: string, over: Partial<DeliveryRow> = {}): Promise<void> {
  const unit = `${encodeURIComponent(run)}/0/g/${group}`;
  const ready_offset = 1_000 + count++;
  return pipeline.store.insert(
    encodeDeliveries([sampleDelivery(ready_offset, { run_id: run, unit, rollout_id: rollout, ...over })]),
  );
}

describe('of a replay', () => {
  it('units that nothing changed of are left out: the trainer has them in its queue; asked for, they are emitted', async () => {
    const { replayId } = await replayed([
      { name: 'same', before: [0, 1] },
      { name: 'other', before: [0, 1], after: [1, 0] },
      { name: 'alone', isGroup: false, before: [1] },
    ]);
    expect(await emitted(replayId)).toMatchObject({ units: 1, trajectories: 2, left_out: { unchanged: 2 } });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['other-0', 'other-1']);
    const again = await replayed([{ name: 'same', before: [0, 1] }]);
    expect(await emitted(again.replayId, asked({ unchanged: 'emit' }))).toMatchObject({ units: 1, left_out: {} });
  });

  it('what an earlier replay emitted is what the topic has: the old score is a change of it, and the same score is none', async () => {
    const run = `run ${count}`;
    const wrong = await replayed([{ name: 'a', before: [0, 1], after: [1, 0] }], { run });
    expect(await emitted(wrong.replayId)).toMatchObject({ units: 1 });
    const same = await replayed([{ name: 'a', before: [0, 1], after: [1, 0] }], { run });
    expect(await emitted(same.replayId)).toMatchObject({ units: 0, left_out: { unchanged: 1 } });
    const undone = await replayed([{ name: 'a', before: [0, 1] }], { run });
    expect(await emitted(undone.replayId)).toMatchObject({ units: 1, trajectories: 2, left_out: {} });
  });

  it('a unit is changed by a loss mask, a turn reward or an advantage alone, and by a live row that is gone', async () => {
    const { replayId } = await replayed(
      ['mask', 'turn', 'advantage', 'none'].map((name) => ({ name, isGroup: false, before: [1] })),
      {
        made: (row) => {
          const { trajectory } = row;
          const [segment] = trajectory.segments;
          if (segment === undefined) throw new Error('no segment');
          const loss_mask = Buffer.from(segment.loss_mask);
          loss_mask[2] = 0;
          const changes = {
            'mask-0': { segments: [{ ...segment, loss_mask }], segment_loss_tokens: [2] },
            'turn-0': { turns: (trajectory.turns ?? []).map((turn) => ({ ...turn, reward: 0.5 })) },
            'advantage-0': { advantage: 0.25 },
            'none-0': { why: ['another reason'], category: 'budget' },
          };
          const own = Object.entries(changes).find(([rollout]) => rollout === trajectory.rollout_id)?.[1] ?? {};
          return { ...row, trajectory: { ...trajectory, ...own } };
        },
      },
    );
    expect(await emitted(replayId)).toMatchObject({ units: 3, left_out: { unchanged: 1 } });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['mask-0', 'turn-0', 'advantage-0']);
    const other = await replayed([{ name: 'g', before: [0, 1] }]);
    expect(await emitted(other.replayId, { against: 'a replay without rows' })).toMatchObject({
      units: 1,
      left_out: {},
    });
  });

  it('units that are trained are left out, whoever of them was; a rewind brings them back; asked for, they go again', async () => {
    const groups = ['kept', 'done', 'rewound', 'leased'].map((name) => ({ name, before: [0, 1], after: [1, 0] }));
    const { run, replayId } = await replayed(groups);
    await trained(run, 'done-1', 'done');
    await trained(run, 'rewound-0', 'rewound', { step: 2 });
    await trained(run, 'leased-0', 'leased', { state: 'leased', step: null, deadlineMs: Date.now() + 1e6 });
    // A fork of the run trained it in its own history.
    await trained('a fork of it', 'kept-0', 'kept', { unit: `${encodeURIComponent(run)}/0/g/kept` });
    await pipeline.store.insert(encodeLineages([sampleLineage(1, { run_id: run, step: 1 })]));
    expect(await emitted(replayId)).toMatchObject({ units: 3, left_out: { already_trained: 1 } });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(
      ['kept', 'rewound', 'leased'].flatMap((name) => [`${name}-0`, `${name}-1`]),
    );
    // What did not change as well: it is in no queue any more.
    const again = await replayed([...groups, { name: 'same', before: [0, 1] }]);
    await trained(again.run, 'done-0', 'done');
    await trained(again.run, 'same-0', 'same');
    expect(await emitted(again.replayId, asked({ again: true }))).toMatchObject({ units: 5, left_out: {} });
    const records = (await pipeline.recordsOf(pipeline.topics.ready)).filter(
      ({ headers }) => headers.replay === again.replayId,
    );
    expect(records.map(({ headers }) => headers.again)).toEqual(Array(10).fill('1'));
  });

  it('nothing goes out of a unit of which nothing is kept, and what is kept of the others goes without what is not', async () => {
    const { replayId } = await replayed([
      { name: 'bad', isGroup: false, before: [1], rawAfter: 'what nobody knows' },
      { name: 'good', isGroup: false, before: [1], raw: 'what nobody knows', rawAfter: 'task_complete' },
    ]);
    expect(await emitted(replayId)).toMatchObject({ units: 1, trajectories: 1, left_out: { rejected: 1 } });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['good-0']);
  });

  it('what was trained or did not change goes to another topic all the same, and never to one of the pipeline', async () => {
    await pipeline.broker.ensureTopics([{ name: 'other', partitions: 3, compacted: false }]);
    const { run, replayId } = await replayed([
      { name: 'same', before: [0, 1] },
      { name: 'done', before: [0, 1], after: [1, 0] },
    ]);
    await trained(run, 'done-1', 'done');
    await expect(emitted(replayId, asked({ topic: pipeline.topics.steps }))).rejects.toMatchObject({
      code: 'RS_USAGE',
    });
    expect(await emitted(replayId, asked({ topic: 'other' }))).toEqual({
      ...{ topic: 'other', units: 2, trajectories: 4, left_out: {} },
    });
    await expect(emitted(replayId)).rejects.toMatchObject({
      code: 'RS_USAGE',
      message: expect.stringContaining('other'),
    });
  });

  it('a run whose gate is closed has to wait, and others go on; what it had begun goes on when it opens', async () => {
    const groups = ['a', 'b'].map((name) => ({ name, before: [0, 1], after: [1, 0] }));
    const { run, replayId } = await replayed(groups, { run: 'gated 1' });
    await replayed(groups, { run: 'gated 2', replayId });
    const gate = (seq: number, state: 'hold' | 'open') =>
      pipeline.store.insert(
        encodeGates([{ run_id: run, seq, state, by: 'set', classes: [], why_json: '{}', windowFromMs: 0, atMs: seq }]),
      );
    // It closes behind the first transaction.
    const insert: EmitReplayDeps['store']['insert'] = async (batch) => {
      await pipeline.store.insert(batch);
      if (batch.table === 'replay_emitted') await gate(1, 'hold');
    };
    const store = { query: pipeline.store.query, insert };
    const stopped = createEmitReplay({ ...pipeline.deps, store, batchBytes: 1 })(emitArgs(replayId));
    await expect(stopped).rejects.toMatchObject({
      ...{
        code: 'RS_GATE_CLOSED',
        retriable: true,
        message: expect.stringContaining(run),
        facts: { run, state: 'hold' },
      },
    });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['a-0', 'a-1', 'a-0', 'a-1', 'b-0', 'b-1']);
    await expect(emitted(replayId)).rejects.toMatchObject({ code: 'RS_GATE_CLOSED' });
    await gate(2, 'open');
    expect(await emitted(replayId)).toMatchObject({ units: 4, trajectories: 8, left_out: {} });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['a-0', 'a-1', 'b-0', 'b-1', 'a-0', 'a-1', 'b-0', 'b-1']);
  });

  it('a group of which a member is not in the store ends it, and nothing of that group is emitted', async () => {
    const groups = ['whole', 'torn'].map((name) => ({ name, before: [0, 1, 1], after: [1, 0, 0] }));
    // It has the row of another attempt than was decided.
    const { replayId } = await replayed(groups, {
      made: (row) =>
        row.trajectory.rollout_id === 'torn-1' ? { ...row, trajectory: { ...row.trajectory, attempt: 7 } } : row,
    });
    await expect(emitted(replayId)).rejects.toMatchObject({
      code: 'RS_CHECK_FAILED',
      message: expect.stringContaining('torn'),
    });
    expect(await pipeline.rolloutsOf(replayId)).toEqual([]);
  });

  it('rows that were written a second time are emitted once', async () => {
    const of = await replayed([{ name: 'a', before: [0, 1], after: [1, 0] }]);
    await writeReplay(pipeline.store, pipeline.codecs, of);
    expect(await emitted(of.replayId)).toMatchObject({ units: 1, trajectories: 2 });
    expect(await emitted(of.replayId)).toMatchObject({ units: 1, trajectories: 2 });
    expect(await pipeline.rolloutsOf(of.replayId)).toEqual(['a-0', 'a-1']);
  });

  it('what is interrupted ends behind a whole transaction, and goes on there', async () => {
    const groups = ['a', 'b', 'same'].map((name) => ({
      name,
      before: [0, 1],
      after: name === 'same' ? [0, 1] : [1, 0],
    }));
    const { replayId } = await replayed(groups);
    const stop = new AbortController();
    const told: number[] = [];
    const onProgress = (n: number): void => {
      told.push(n);
      if (n > 0) stop.abort();
    };
    const emitReplay = createEmitReplay({ ...pipeline.deps, batchBytes: 1 });
    await expect(emitReplay(emitArgs(replayId, { signal: stop.signal, onProgress }))).rejects.toMatchObject({
      code: 'RS_INTERRUPTED',
    });
    expect(told).toEqual([0, 2]);
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['a-0', 'a-1']);
    const more: number[] = [];
    const counts = await emitted(replayId, { onProgress: (n) => more.push(n) });
    expect(counts).toMatchObject({ units: 2, trajectories: 4, left_out: { unchanged: 1 } });
    expect(more).toEqual([2, 4]);
  });

  it('of a replay that began to emit and whose commit is gone nothing more is emitted', async () => {
    const { replayId } = await replayed([{ name: 'a', before: [0, 1], after: [1, 0] }]);
    await emitted(replayId);
    const broker = { ...pipeline.broker, committed: async () => null };
    const emitReplay = createEmitReplay({ ...pipeline.deps, broker });
    await expect(emitReplay(emitArgs(replayId))).rejects.toMatchObject({ code: 'RS_COMMIT_LOST' });
  });

  it('nor of one that died before the rows of its first transaction: the topic has it', async () => {
    const { replayId } = await replayed([{ name: 'a', before: [0, 1], after: [1, 0] }]);
    const dies = async (): Promise<never> => {
      throw new Error('killed');
    };
    const killed = createEmitReplay({ ...pipeline.deps, store: { ...pipeline.store, insert: dies } });
    await expect(killed(emitArgs(replayId))).rejects.toThrow('killed');
    const broker = { ...pipeline.broker, committed: async () => null };
    const emitReplay = createEmitReplay({ ...pipeline.deps, broker });
    await expect(emitReplay(emitArgs(replayId))).rejects.toMatchObject({ code: 'RS_COMMIT_LOST' });
    // With its commit it goes on, and books what was not.
    expect(await emitted(replayId)).toMatchObject({ units: 1, trajectories: 2 });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['a-0', 'a-1']);
  });
});

describe('by the weights that are announced', () => {
  it('a unit that could not be leased is left out as stale, unless it is asked for', async () => {
    const text = `${policyText()}\nstaleness:\n  max_lag: 1\n`;
    await pipeline.store.insert(encodeDocuments([{ kind: 'policy', content: text }]));
    const { broker, codecs, topics, deps } = pipeline;
    const versions = createAnnouncedVersions({ broker, codecs, log: deps.log, topic: topics.policyVersions });
    const announce = await createAnnounceVersion({ broker, codecs, versions, topic: topics.policyVersions });
    const groups = ['v1', 'v2', 'v3'].map((weights) => ({
      ...{ name: weights, weights, before: [0, 1], after: [1, 0] },
    }));
    const of = { run: 'aged', lane: { documents: documentsOf(text) } };
    const { replayId } = await replayed(groups, of);
    for (const [step, version] of ['v1', 'v2', 'v3'].entries())
      await announce({ run_id: 'aged', lineage: '0', step, version, announced_at: null });
    expect(await emitted(replayId)).toMatchObject({ units: 2, left_out: { stale: 1 } });
    expect(await pipeline.rolloutsOf(replayId)).toEqual(['v2-0', 'v2-1', 'v3-0', 'v3-1']);
    const other = await replayed(groups, of);
    const asIs = asked({ stale: 'emit', unchanged: 'emit' });
    expect(await emitted(other.replayId, asIs)).toMatchObject({ units: 3, left_out: {} });
  });
});
