import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { Audits } from '../../../processors/model/audit-summary.ts';
import type { LaneState } from '../../../processors/model/lane-state.ts';
import type { ReplayedRows, ReplayedUnit } from '../../../processors/model/replay.ts';
import { laneHistoryOf, linesOf } from './histories.ts';
import { anyLog, decidedRows, IDS, type Lived, laneOf, live, POLICIES, rowsOf, rowsOfUnits } from './random-lived.ts';

/** More by hand: REPLAY_RUNS=1000. */
const RUNS = Number(process.env.REPLAY_RUNS ?? 15);

const made = vi.hoisted(() => ({ states: [] as LaneState[] }));
vi.mock('../../../processors/model/lane-state.ts', async (original) => {
  const real = await original<typeof import('../../../processors/model/lane-state.ts')>();
  const createLaneState: typeof real.createLaneState = (start) => {
    const state = real.createLaneState(start);
    made.states.push(state);
    return state;
  };
  return { ...real, createLaneState };
});
beforeEach(() => made.states.splice(0));

describe('a replay under the documents that were in force', () => {
  const audits: ReadonlyArray<readonly [string, Audits | null]> = [
    ['with audits made again', createStreamAudits()],
    ['with what the audits said', null],
  ];
  it.each(audits)('gives the rows of the lane, row for row, %s', (_, anew) => {
    fc.assert(
      fc.property(...anyLog, (plan, first, reorderEvents) => {
        const lived = live(plan, first, reorderEvents);
        const lane = laneOf(lived, reorderEvents, { audits: anew });
        const replayed = lived.histories.map((unit) => lane.replay(unit));
        expect(linesOf(rowsOf(replayed))).toEqual(linesOf([decidedRows(lived)]));
        expect(replayed.flatMap((unit) => (unit.kind === 'replayed' ? unit.vanished : []))).toEqual([]);
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it('gives them in whatever order units come, by one lane or by many, waiting or not', async () => {
    await fc.assert(
      fc.asyncProperty(...anyLog, fc.func(fc.nat(2)), async (plan, first, reorderEvents, laneNo) => {
        const lived = live(plan, first, reorderEvents);
        const lanes = [0, 1, 2].map(() => laneOf(lived, reorderEvents));
        const replayed: ReplayedUnit[] = [];
        for (const unit of [...lived.histories].sort((a, b) => (a.unit < b.unit ? 1 : -1))) {
          const lane = lanes[laneNo(unit.unit)] ?? lanes[0];
          if (lane !== undefined)
            replayed.push(laneNo(unit) === 0 ? lane.replay(unit) : await lane.replayWaiting(unit));
        }
        expect(linesOf(rowsOf(replayed))).toEqual(linesOf([decidedRows(lived)]));
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps nothing of a unit when it is over', () => {
    fc.assert(
      fc.property(...anyLog, fc.nat(POLICIES.length - 1), (plan, first, reorderEvents, other) => {
        const lived = live(plan, first, reorderEvents);
        made.states.length = 0;
        const override = { policy_id: IDS[other] ?? '' };
        const lane = laneOf(
          { ...lived, history: laneHistoryOf(lived.effects, lived.documents.inForce, override) },
          256,
        );
        for (const unit of lived.histories) {
          lane.replay(unit);
          for (const { units, recent, opened, openAttempts, found, effects } of made.states) {
            const rows = Object.values(effects.rows).reduce((sum, list) => sum + list.length, 0);
            const kept = [
              units.size,
              recent.size,
              opened.length,
              openAttempts,
              found.size,
              rows,
              effects.records.length,
            ];
            expect(kept).toEqual([0, 0, 0, 0, 0, 0, 0]);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a replay under another policy', () => {
  it('decides as a lane under it would have, where no deadline came between', () => {
    fc.assert(
      fc.property(...anyLog, fc.nat(POLICIES.length - 1), (plan, first, reorderEvents, other) => {
        const undisturbed = plan.filter((step) => step.kind === 'event' && !step.event.control?.policy);
        const lived = live(undisturbed, first, reorderEvents);
        const wanted = live(undisturbed, other, reorderEvents);
        const history = laneHistoryOf(lived.effects, wanted.documents.inForce);
        const lane = laneOf({ ...lived, history }, reorderEvents, { audits: createStreamAudits() });
        const closed = (of: Lived) =>
          new Set(of.histories.filter(({ open }) => open.length === 0).map(({ unit }) => unit));
        const [before, after] = [closed(lived), closed(wanted)];
        const both = new Set([...before].filter((unit) => after.has(unit)));
        const units = lived.histories.filter(({ unit }) => both.has(unit));
        const replayed = rowsOf(units.map((unit) => lane.replay(unit)));
        const plain = (rows: ReplayedRows): ReplayedRows => ({
          ...rows,
          decisions: rows.decisions.map((row) => ({ ...row, supersedes: null })),
          trajectories: rows.trajectories.map((row) => ({
            ...row,
            trajectory: { ...row.trajectory, supersedes: null },
          })),
        });
        expect(linesOf(replayed.map(plain))).toEqual(linesOf([rowsOfUnits(wanted.effects.rows, both)]));
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it('decides about all that was decided before, or says why it vanished', () => {
    fc.assert(
      fc.property(...anyLog, fc.nat(POLICIES.length - 1), (plan, first, reorderEvents, other) => {
        const lived = live(plan, first, reorderEvents);
        const history = laneHistoryOf(lived.effects, lived.documents.inForce, { policy_id: IDS[other] ?? '' });
        const lane = laneOf({ ...lived, history }, reorderEvents);
        for (const unit of lived.histories) {
          const replayed = lane.replay(unit);
          if (replayed.kind === 'refused') continue;
          const name = (of: { rollout_id: string; attempt: number }) => `${of.rollout_id}/${of.attempt}`;
          const now = replayed.rows.decisions.map(name);
          expect(new Set(now).size).toBe(now.length);
          const gone = unit.decided.map(name).filter((one) => !now.includes(one));
          expect(replayed.vanished.map((one) => `${one.rolloutId}/${one.attempt}`).sort()).toEqual(gone.sort());
          for (const { reason } of replayed.vanished) expect(reason).not.toBe('not_started');
        }
      }),
      { numRuns: 2 * RUNS },
    );
  });
});
