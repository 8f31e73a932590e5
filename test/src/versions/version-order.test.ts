import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_VERSIONS, NO_WEIGHTS, withVersion } from '../../../processors/model/weights.ts';
import type { PolicyVersion } from '../../../schemas/generated/policy-version.ts';
import { type Announcement, createVersionOrder } from '../../../src/versions/version-order.ts';

const announced = (version: string, step: number, lineage = '', run_id = 'run'): PolicyVersion => ({
  ...{ run_id, lineage, step, version, announced_at: null },
});

describe('the order of weights versions', () => {
  it('is that of the announcements, for each run', () => {
    const order = createVersionOrder();
    for (const [source, one] of [announced('b', 0), announced('a', 10), announced('b', 3, '', 'other')].entries())
      expect(order.add(one, source).kind).toBe('new');
    expect(order.current('run')).toEqual({ runId: 'run', lineage: '', step: 10, version: 'a', ordinal: 1, source: 1 });
    expect(order.current('other')?.ordinal).toBe(0);
    expect(order.current('nobody')).toBeNull();
  });

  it('goes on behind what survives a rewind: ordinals of the lineage that was left are used again', () => {
    const order = createVersionOrder();
    const all = [
      ...[1, 2, 3, 4, 5].map((step) => announced(`v${step}`, step)),
      announced('w4', 4, 'l2'),
      announced('w5', 5, 'l2'),
    ];
    for (const [source, one] of all.entries()) order.add(one, source);
    expect(order.since(0, 99).map(({ version, ordinal }) => [version, ordinal])).toEqual([
      ...[
        ['v1', 0],
        ['v2', 1],
        ['v3', 2],
        ['w4', 3],
        ['w5', 4],
      ],
    ]);
    expect(order.since(6, 99).map(({ version }) => version)).toEqual(['w5']);
    expect(order.place(announced('v6', 6))).toMatchObject({ kind: 'refused', field: 'lineage' });
    expect(order.place(announced('v5', 5))).toMatchObject({ kind: 'repeat' });
    expect(order.place(announced('v5', 6, 'l2'))).toMatchObject({ kind: 'refused', field: 'version' });
  });

  it('is what lanes have in force, whatever they were told twice (property)', () => {
    const one = fc.record({
      version: fc.nat(40).map((n) => `v${n}`),
      step: fc.nat(60),
      lineage: fc.constantFrom('', 'l1', 'l2', 'l3'),
      repeats: fc.array(fc.nat(20), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (all) => {
        const order = createVersionOrder();
        const told: Announcement[] = [];
        let weights = NO_WEIGHTS;
        for (const [source, { version, step, lineage, repeats }] of all.entries()) {
          const place = order.place(announced(version, step, lineage));
          expect(order.add(announced(version, step, lineage), source)).toEqual(place);
          const current = order.current('run');
          if (place.kind === 'new' && current !== null) {
            told.push(current);
            weights = withVersion(weights, 'run', current);
          }
          for (const at of repeats) {
            const again = told[at];
            if (again !== undefined) weights = withVersion(weights, 'run', again);
          }
          const surviving = order.since(0, MOST_VERSIONS);
          expect([...(weights.get('run')?.ordinals ?? [])]).toEqual(surviving.map((it) => [it.version, it.ordinal]));
        }
      }),
    );
  });
});
