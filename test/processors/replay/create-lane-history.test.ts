import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateEvent, policyEvent, sourceEndedEvent, weightsEvent } from '../../../processors/control/control-event.ts';
import { createLaneHistory } from '../../../processors/replay/create-lane-history.ts';
import { createTestLane, documentsOf, policyText } from '../harness.ts';

const OTHER = policyText(['retries: 2', 'retries: 0']);
const documents = documentsOf(policyText(), OTHER);
const { inForce } = documents;
const other = documentsOf(OTHER).inForce.policy_id;

const control = fc.oneof(
  fc.constantFrom(inForce.policy_id, other).map((policy_id) => policyEvent({ ...inForce, policy_id }, 'p')),
  fc.nat(4).map((n) => weightsEvent('run', { lineage: '', version: `${n}`, ordinal: n }, `${n}`)),
  fc.nat(4).map((seq) => gateEvent('run', { state: 'hold', classes: [], seq }, null, `${seq}`)),
  fc.constant(sourceEndedEvent('p', 'ended')),
);

describe('the values of a lane by offset', () => {
  it('are those that the lane had, in whatever order they are asked for; one object from change to change', () => {
    fc.assert(
      fc.property(fc.array(control, { maxLength: 12 }), fc.array(fc.nat(12)), (events, asked) => {
        const lane = createTestLane({ documents });
        const had = events.map((event) => {
          lane.fold(event);
          return lane.state.inForce;
        });
        const controls = lane.effects().rows.steps.map(({ event, unit, offset, appendedAtMs }) => {
          return { event, unit, cause: { offset, appendedAtMs } };
        });
        const history = createLaneHistory({ controls, initial: inForce, override: {} });
        for (const offset of asked) {
          const wanted = offset < had.length ? had[offset] : had.at(-1);
          expect(history.inForceAt(offset)).toEqual(wanted ?? inForce);
          expect(history.inForceAt(offset)).toBe(history.inForceAt(offset));
        }
        const ends = controls.filter(({ event }) => event.control?.deadline);
        expect(history.endings).toEqual(ends);
      }),
    );
  });

  it('are with the documents that were asked for, whatever was in force', () => {
    const event = { ...policyEvent(inForce, 'p') };
    const lane = createTestLane({ documents });
    lane.fold(event);
    const controls = lane.effects().rows.steps.map((row) => ({ ...row, cause: row }));
    const history = createLaneHistory({ controls, initial: inForce, override: { policy_id: other } });
    expect([0, 1].map((offset) => history.inForceAt(offset).policy_id)).toEqual([other, other]);
  });
});
