import { expect, it } from 'vitest';
import { createFits, type Fits } from '../../../processors/decide/record-space.ts';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import type { Attempt } from '../../../processors/model/attempt.ts';
import type { Judgement } from '../../../processors/model/judgement.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { type TrajectoryInit, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const TRAJECTORY = avroTypeOf(trajectorySchema);
const LARGE = 100_000;

const tokens = (count: number) => Array.from({ length: count }, (_, i) => i);
/** A rollout of four in its group, with so many sampled tokens. */
const member = (rollout_id: string, count: number, reward: number) => {
  const of = attemptOf({ rollout_id, group_id: 'g', group_size: 4 });
  return [of.start(), of.call(1, { sampled: tokens(count) }), of.end(2), of.verdict(reward)];
};

function decided(fits: Fits | undefined, ...events: readonly StepEventInit[]) {
  const lane = createTestLane(fits === undefined ? {} : { fits });
  lane.fold(...events);
  return lane.effects();
}

const withoutBlobs = createFits({ bytes: LARGE, takesTokens: false });
const withBlobs = createFits({ bytes: LARGE, takesTokens: true });

it('a member too large for a record is kept for people, and its group goes on without it', () => {
  const events = [member('a', 3, 1), member('b', LARGE / 5, 1), member('c', 3, 0), member('d', 3, 1)].flat();
  const { records, rows } = decided(withoutBlobs, ...events);
  const ready = records.flatMap((out) => (out.topic === 'ready' ? [out.trajectory] : []));
  expect(ready.map(({ rollout_id, group_size_actual }) => [rollout_id, group_size_actual])).toEqual([
    ['a', 3],
    ['c', 3],
    ['d', 3],
  ]);
  // Of the rewards 1, 0, 1 that are left: mean 2/3, std sqrt(1/3), eps 1e-6.
  expect(ready[1]?.advantage).toBeCloseTo(-(2 / 3) / (Math.sqrt(1 / 3) + 1e-6), 12);
  const out = rows.decisions.find(({ rollout_id }) => rollout_id === 'b');
  expect(out).toMatchObject({ disposition: 'quarantine', why: ['record_too_large', 'task_complete'], in_loss: false });
  expect(records.map(({ topic }) => topic).sort()).toEqual(['ready', 'ready', 'ready', 'rejected']);
});

it('where tokens go beside the log, only the rest has to fit', () => {
  const of = attemptOf();
  const whole = [of.start(), of.call(1, { sampled: tokens(LARGE / 5) }), of.end(2), of.verdict(1)];
  expect(decided(withBlobs, ...whole).rows.decisions[0]).toMatchObject({ disposition: 'train' });
  const start = of.start({}, { task_metadata_json: `"${'x'.repeat(LARGE)}"` });
  const decision = decided(withBlobs, start, of.call(1), of.end(2), of.verdict(1)).rows.decisions[0];
  expect(decision?.why[0]).toBe('record_too_large');
});

it('what is rejected anyway has its own reason', () => {
  const of = attemptOf();
  const events = [of.start(), of.call(1, { sampled: tokens(LARGE / 5) }), of.end(2, 'unheard_of')];
  expect(decided(withoutBlobs, ...events).rows.decisions[0]?.why).toEqual(['unknown']);
});

/** The bound of an attempt: the smallest limit at which it fits. */
function boundOf(attempt: Attempt, judgement: Judgement, takesTokens: boolean): number {
  let [least, most] = [0, 2 ** 31];
  while (least < most) {
    const bytes = Math.floor((least + most) / 2);
    if (createFits({ bytes, takesTokens })(attempt, judgement)) most = bytes;
    else least = bytes + 1;
  }
  return least;
}

/** Far above all that has a fixed size, so that what is not counted shows; escaped in a key, it has three times the bytes. */
const LONG = 'é'.repeat(100_000);

interface Long {
  readonly group?: string;
  readonly rollout?: string;
  readonly metadata?: string;
  readonly call?: string;
  readonly version?: string;
  readonly aux?: string;
  readonly scorer?: string;
  readonly component?: string;
  readonly reason?: string;
}

it.each<Long>([
  { group: LONG },
  { rollout: LONG },
  { metadata: LONG },
  { call: LONG },
  { version: LONG },
  { aux: LONG },
  { scorer: LONG },
  { component: LONG },
  { reason: LONG },
])('never takes a record for smaller than it is: key, value and headers (%#)', (long) => {
  const of = attemptOf({ rollout_id: long.rollout ?? 'r', group_id: long.group ?? null });
  let bounds: readonly number[] = [];
  const looking: Fits = (attempt, judgement) => {
    bounds = [boundOf(attempt, judgement, false), boundOf(attempt, judgement, true)];
    return true;
  };
  const { records } = decided(
    looking,
    of.start({}, { task_metadata_json: long.metadata ?? null }),
    of.call(1, {
      ...{ call_id: long.call ?? 'c', weight_spans: [{ start: 0, version: long.version ?? '7' }] },
      aux_ref: { name: 'other', uri: long.aux ?? 'u', sha256: null, shape: [1, 2, 3], dtype: 'uint8' },
    }),
    of.ending(2, { reasons: [{ raw: 'task_complete', system: 'strands-env', detail: long.reason ?? null }] }),
    of.verdict(1, { scorer: long.scorer ?? 's', rewards: { reward: 1, [long.component ?? 'c']: 0 } }),
  );
  const out = records.find(({ topic }) => topic === 'ready');
  if (out?.topic !== 'ready') throw new Error('it is not ready');
  const headers = [out.trajectory.run_id, out.trajectory.group_id, out.trajectory.weights_version_min];
  const around = Buffer.byteLength(out.key) + Buffer.byteLength(headers.join('')) + 100;
  const bytesOf = (trajectory: TrajectoryInit) => TRAJECTORY.toBuffer(trajectory).length + around;
  expect(bounds[0]).toBeGreaterThanOrEqual(bytesOf(out.trajectory));
  const ref = { uri: `blob:${'0'.repeat(64)}`, sha256: '0'.repeat(64), length: 2 ** 40 };
  expect(bounds[1]).toBeGreaterThanOrEqual(bytesOf({ ...out.trajectory, segments: [], segments_ref: ref }));
});
