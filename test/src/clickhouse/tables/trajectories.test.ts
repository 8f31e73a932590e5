import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Trajectory, trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { lookupTrajectories } from '../../../../src/clickhouse/trajectory-lookup.ts';
import { schemaArbitrary } from '../schema-arbitrary.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';
import { trajectoryOf } from './sample-rows.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const owner = { topic: 'rollout.steps', term: 1 };

/** A reader gets the segments or the reference: both stand in a row where the token data is stored, too. */
const trajectories: fc.Arbitrary<Trajectory> = schemaArbitrary(trajectorySchema)
  .map(trajectoryOf)
  .map((value) => ({
    ...value,
    partition: 0,
    segments_ref: value.segments.length > 0 ? null : value.segments_ref,
  }));

test('the whole trajectory comes back from the table, to the bit', async () => {
  const { store } = temporary;
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await store.insert(encodeLanes([{ partition: 0, frontier: 10_000, watermark: 10_000, open: [] }], owner));
  const all = fc.sample(trajectories, { numRuns: 25, seed: 11 }).map((trajectory, offset) => ({
    trajectory: { ...trajectory, rollout_id: `r${offset}` },
    ...{ unit: 'u', replay_id: '', offset },
  }));
  await store.insert(encodeTrajectories(all, owner));
  for (const { trajectory } of all) {
    expect(await lookupTrajectories(store, { rolloutId: trajectory.rollout_id })).toEqual([trajectory]);
  }
});

test('logprobs that are no numbers keep their bits', async () => {
  const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 3 });
  if (sample === undefined) throw new Error('no sample');
  const logprobs = Buffer.from(new Float32Array([Number.NaN, -0, Number.NEGATIVE_INFINITY, -0.1]).buffer);
  const masks = { sampled_mask: Buffer.from([1, 1, 1, 1]), loss_mask: Buffer.from([0, 0, 0, 0]) };
  const segment = {
    ...{ segment_id: 'main', parent_segment_id: null, fork_at: null, prompt_len: 0, weight_spans: [] },
    ...{ token_ids: Buffer.from(new Uint32Array([1, 2, 3, 0xffffffff]).buffer), ...masks, logprobs },
  };
  const trajectory = { ...sample, rollout_id: 'nan', segments: [segment, { ...segment, logprobs: null }] };
  await temporary.store.insert(encodeTrajectories([{ trajectory, unit: 'u', replay_id: '', offset: 500 }], owner));
  const [found] = await lookupTrajectories(temporary.store, { rolloutId: 'nan', runId: trajectory.run_id });
  expect(found?.segments).toEqual(trajectory.segments);
});

test('a rollout in a second epoch does not replace the one of the first', async () => {
  const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 4 });
  if (sample === undefined) throw new Error('no sample');
  const rows = [0, 1].map((epoch) => ({
    trajectory: { ...sample, rollout_id: 'twice', epoch },
    ...{ unit: `run/${epoch}/r/twice`, replay_id: '', offset: 600 + epoch },
  }));
  await temporary.store.insert(encodeTrajectories(rows, owner));
  const found = await lookupTrajectories(temporary.store, { rolloutId: 'twice' });
  expect(found.map(({ epoch }) => epoch)).toEqual([0, 1]);
});
