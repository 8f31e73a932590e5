import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import { type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeTrajectories } from '../../../src/clickhouse/tables/trajectories.ts';
import { lookupReplayedTrajectories } from '../../../src/clickhouse/trajectory-lookup.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';
import { sampleDecision, trajectoryOf } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const owner = { topic: 'rollout.steps', term: 0 };

/** A reader gets the segments or the reference: both stand in a row where the token data is stored, too. */
const trajectories: fc.Arbitrary<Trajectory> = schemaArbitrary(trajectorySchema)
  .map(trajectoryOf)
  .map((value) => ({ ...value, segments_ref: value.segments.length > 0 ? null : value.segments_ref }));

/** In the WTF-8 that rows hold, a lone surrogate included: three bytes of its own. */
function hexOf(text: string): string {
  const bytes = Array.from(text).flatMap((character) => {
    const code = character.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    return isLone ? [0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)] : [...Buffer.from(character)];
  });
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

test('what a replay made comes back as it was made, to the bit, whatever its ids and texts hold', async () => {
  const { store } = temporary;
  const samples = fc.sample(trajectories, { numRuns: 40, seed: 29 });
  const odd = ['\ud800', 'a\udc00b', "it's", '\\', 'a\tb\n', '\0', '', 'é😀', 'r/1', '{x:String}'];
  const rows = samples.map((trajectory, index): TrajectoryRow => {
    const rollout_id = `${odd[index % odd.length]}${index}`;
    return { trajectory: { ...trajectory, rollout_id }, unit: `unit ${index % 7}`, replay_id: 'x', offset: index };
  });
  const others = rows.map((row) => ({ ...row, replay_id: 'another', trajectory: { ...row.trajectory, reward: 123 } }));
  const decisions = rows.map(({ trajectory: { run_id, epoch, rollout_id, attempt }, unit, offset }) => ({
    ...sampleDecision(offset),
    ...{ run_id, epoch: epoch ?? 0, rollout_id, attempt: attempt ?? 0, unit, replay_id: 'x' },
  }));
  await store.insert(encodeDecisions(decisions, owner));
  await store.insert(encodeTrajectories([...rows, ...others], owner));
  // Again, as a chunk that is written a second time.
  await store.insert(encodeTrajectories(rows, owner));
  const wanted = rows.filter((_, index) => index % 3 !== 0);
  const attempts = wanted.map(({ unit, trajectory: { rollout_id, attempt } }) => ({
    ...{ unit, rolloutHex: hexOf(rollout_id), attempt: attempt ?? 0 },
  }));
  const found = await lookupReplayedTrajectories(store, { replayId: 'x', attempts });
  const byName = new Map(found.map(({ rolloutHex, trajectory }) => [rolloutHex, trajectory] as const));
  expect(found).toHaveLength(wanted.length);
  for (const { trajectory } of wanted) expect(byName.get(hexOf(trajectory.rollout_id))).toEqual(trajectory);
});
