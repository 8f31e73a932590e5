import { describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../../../processors/decode/avro-type.ts';
import { type Trajectory, trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import type { LogRecord } from '../../../../src/broker/port.ts';
import { createEntryOf, entryOfUnreadable } from '../../../../src/delivery/ready/entry-of.ts';
import { type ReadyShape, readyShapeSchema } from '../../../../src/delivery/ready/ready-shape.ts';
import { sampleTrajectory } from '../../ready/sample-trajectory.ts';

const whole = avroTypeOf(trajectorySchema);
const part = avroTypeOf(readyShapeSchema);
const resolver = part.createResolver(whole);

/** As the tail reads it: of all that was written, what delivery needs. */
function shapeOf(over: Partial<Trajectory>): ReadyShape {
  return part.fromBuffer(whole.toBuffer(sampleTrajectory(over)), resolver);
}
const entryOf = createEntryOf();
const record: LogRecord = {
  ...{ topic: 'ready', partition: 0, offset: 9, timestampMs: 1_234, value: null },
  ...{ key: Buffer.from('run/0/g/group'), headers: { run: 'run', size: '2' } },
};
const [segment] = sampleTrajectory().segments;
function versionsOf(
  mask: readonly number[],
  spans: ReadonlyArray<{ start: number; version: string }>,
): readonly string[] {
  if (segment === undefined) throw new Error('the sample has a segment');
  const tokens = {
    token_ids: Buffer.alloc(4 * mask.length),
    sampled_mask: Buffer.from(mask),
    loss_mask: Buffer.from(mask),
    logprobs: null,
  };
  return entryOf(record, shapeOf({ segments: [{ ...segment, ...tokens, weight_spans: [...spans] }] })).versions;
}

describe('an entry', () => {
  it('is what the record says, decoded as far as that needs', () => {
    expect(entryOf(record, shapeOf({ group_size_actual: 2, rollout_id: 'r', attempt: 3 }))).toEqual({
      ...{ offset: 9, run: 'run', group: 'run/0/g/group', size: 2, unit: 'run/0/g/group', rollout: 'r', attempt: 3 },
      ...{ tokens: 3, versions: ['w1'], readyAtMs: 1_234 },
    });
  });

  it('that a replay emitted is one of its version: of the group, or of the rollout alone', () => {
    const emitted = (headers: LogRecord['headers'], size: number | null) =>
      entryOf(
        { ...record, headers: { run: 'run', ...headers } },
        shapeOf({ group_size_actual: size, rollout_id: 'r' }),
      );
    const { replay, again, group, size } = emitted({ replay: 'p', again: '1' }, 1);
    expect([replay, again, group, size]).toEqual(['p', true, 'run/0/g/group\u0000p', 1]);
    expect(emitted({ replay: 'p' }, null)).toMatchObject({
      replay: 'p',
      group: 'run/0/g/group\u0000p\u0000r',
      size: 1,
    });
    expect(emitted({ replay: 'p' }, 2)).not.toHaveProperty('again');
    const unreadable = entryOfUnreadable({ ...record, headers: { run: 'run', size: '2', replay: 'p' } });
    expect(unreadable).toMatchObject({ replay: 'p', group: 'run/0/g/group\u0000p', size: 2 });
    // A million that were decided live wait: they have no more than they need.
    expect(Object.keys(entryOf(record, shapeOf({})))).not.toContain('replay');
  });

  it('of a group that passes one by one stands alone', () => {
    expect(entryOf(record, shapeOf({ group_size_actual: null }))).toMatchObject({ group: 'run/0/g/group', size: 1 });
  });

  it('shares what it says of its run and its weights with others that say the same', () => {
    const [first, second] = [entryOf(record, shapeOf({})), entryOf(record, shapeOf({}))];
    expect(second.versions).toBe(first.versions);
    expect(second.group).toBe(second.unit);
    const span = [{ start: 0, version: 'other' }];
    expect(
      entryOf(record, shapeOf({ segments: segment ? [{ ...segment, weight_spans: span }] : [] })).versions,
    ).toEqual(['other']);
  });

  it('whose segments travel by reference has the versions and about the tokens that the record names', () => {
    const ref = { uri: 'blob', sha256: 'x', length: 1_000 };
    const by = { segments: [], segments_ref: ref };
    expect(entryOf(record, shapeOf({ ...by, weights_version_min: 'a', weights_version_max: 'b' }))).toMatchObject({
      tokens: 100,
      versions: ['a', 'b'],
    });
    const unknown = { ...by, weights_version_min: null, weights_version_max: null };
    expect(entryOf(record, shapeOf(unknown)).versions).toEqual(['']);
  });

  it('of a record that cannot be read takes the place that its headers name', () => {
    expect(entryOfUnreadable(record)).toMatchObject({ run: 'run', group: 'run/0/g/group', size: 2, tokens: 0 });
    expect(entryOfUnreadable({ ...record, headers: { run: 'run' } })).toMatchObject({
      group: 'run/0/g/group',
      size: 1,
    });
    expect(entryOfUnreadable({ ...record, headers: {} })).toBeNull();
  });
});

describe('versions', () => {
  it.each([
    [
      'each that sampled, once',
      [1, 1, 1, 1],
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'a'],
      ],
      ['a', 'b'],
    ],
    [
      'none of a prompt',
      [0, 0, 1],
      [
        [0, 'old'],
        [2, 'a'],
      ],
      ['a'],
    ],
    ['unknown before the first span', [1, 1], [[1, 'a']], ['', 'a']],
    [
      'unknown where a span says so',
      [1, 1],
      [
        [0, 'a'],
        [1, ''],
      ],
      ['a', ''],
    ],
    ['unknown without any span', [0, 1], [], ['']],
    ['none where nothing was sampled', [0, 0], [], []],
    [
      'of a span of no tokens none',
      [1, 1],
      [
        [0, 'a'],
        [1, 'b'],
        [1, 'c'],
      ],
      ['a', 'c'],
    ],
  ] as const)('are %s', (_, mask, spans, expected) => {
    expect(
      versionsOf(
        mask,
        spans.map(([start, version]) => ({ start, version })),
      ),
    ).toEqual(expected);
  });
});
