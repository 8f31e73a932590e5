import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cut } from '../../processors/cut/cut.ts';
import { decodeProgress, encodeProgress } from '../../processors/cut/progress.ts';
import type { InRecord } from '../../processors/model/record.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import { attemptOf } from './events.ts';
import { contentOf, createTestLane, documentsOf, joined, pastOf, policyText, recordOf } from './harness.ts';
import { eventOf, type Step, steps } from './random-log.ts';

type LaneDocuments = ReturnType<typeof documentsOf>;
const SHIPPED = documentsOf();
const grouped = (text: string) => documentsOf(policyText(['group:\n', `group:\n  ${text}\n`]));
/** A rebuild is told of what was decided: each rule of groups that looks back must find the same there. */
const GROUP_RULES = [
  SHIPPED,
  grouped('emit: each'),
  grouped('on_fault: drop\n  zero_variance: drop'),
  grouped('on_fault: mask'),
];

/** A log as one lane without interruption writes and reads it, record by record. */
function grow(plan: readonly Step[], reorderEvents = 256, documents: LaneDocuments = SHIPPED) {
  const lane = createTestLane({ reorderEvents, documents });
  const log: InRecord[] = [];
  for (const step of plan) {
    const event = eventOf(step, lane);
    if (event === null) continue;
    const record = recordOf(event, lane.position());
    log.push(record);
    lane.foldRecords([record]);
  }
  return { lane, log };
}

describe('the stages of a lane', () => {
  it('decide the same whatever the order of an attempt’s events, if the first is its start', () => {
    const of = attemptOf();
    const events = [
      of.call(1),
      of.call(2, { prompt_prefix_len: 5, prompt: [30, 31], sampled: [32] }),
      of.call(3, { prompt_prefix_len: 2, prompt: [40], sampled: [41, 42] }),
      of.end(4, 'max_tokens_reached'),
      of.phase('clean-up', { phase: 'cleanup' }, { duration_us: 7 }),
    ];
    const outcomeOf = (order: readonly StepEventInit[]) => {
      const lane = createTestLane();
      lane.fold(of.start(), ...order, of.verdict(0.5));
      const { trajectory } = lane.effects().rows.trajectories[0] ?? {};
      expect(lane.effects().rows.decisions).toHaveLength(1);
      return { ...trajectory, last_offset: 0, ready_at: 0 };
    };
    const expected = outcomeOf(events);
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (order) => {
        expect(outcomeOf(order)).toEqual(expected);
      }),
    );
  });

  it('give the same effects however a log is cut into batches', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (plan, sizes) => {
        const { lane, log } = grow(plan);
        const other = createTestLane();
        for (let at = 0, i = 0; at < log.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          other.foldRecords(log.slice(at, at + size));
          at += size;
        }
        expect(contentOf(other.effects())).toEqual(contentOf(lane.effects()));
      }),
      { numRuns: 150 },
    );
  });

  it('restarted at any offset, over and over, give the effects of an uninterrupted run (case 110)', () => {
    fc.assert(
      fc.property(
        steps,
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }),
        fc.constantFrom(256, 1),
        fc.constantFrom(...GROUP_RULES),
        (plan, lives, reorderEvents, documents) => {
          const { lane, log } = grow(plan, reorderEvents, documents);
          let cut: Cut | null = null;
          let written = joined([]);
          for (let i = 0; (cut?.progress.frontier ?? 0) < log.length; i++) {
            const progress = cut === null ? undefined : decodeProgress(encodeProgress(cut.progress));
            if (progress === null) throw new Error('the commit cannot be read');
            const stored = pastOf(written);
            const life = createTestLane({
              reorderEvents,
              documents,
              stored: () => stored,
              ...(progress && { progress }),
            });
            const until = (progress?.frontier ?? 0) + (lives[i % lives.length] ?? 1);
            for (const record of log.slice(progress?.watermark ?? 0, until)) life.foldRecords([record]);
            cut = life.cut();
            written = joined([written, cut.effects]);
          }
          expect(contentOf(written)).toEqual(contentOf(lane.effects()));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('account for every attempt: started = decided + open, each once', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { lane } = grow(plan, 2);
        const { open, effects } = lane.cut();
        const nameOf = (row: { unit: string; rollout_id: string; attempt: number }) =>
          `${row.unit} ${row.rollout_id} ${row.attempt}`;
        const started = effects.rows.attempts.map(({ unit, event }) => nameOf({ unit, ...event }));
        const left = [...effects.rows.decisions.map(nameOf), ...open.map(nameOf)];
        expect(left.sort()).toEqual(started.sort());
        expect(new Set(started).size).toBe(started.length);
      }),
      { numRuns: 150 },
    );
  });

  it('account for every event: accepted, or a fault, or waiting for its start', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { lane, log } = grow(plan);
        const { rows } = lane.effects();
        const waiting = [...lane.state.units.values()]
          .flatMap((unit) => [...unit.attempts.values()])
          .filter((attempt) => attempt.start === null)
          .flatMap((attempt) => [...(attempt.waiting?.values() ?? []), ...attempt.early])
          .map(({ cause }) => cause.offset);
        const late = rows.verdicts.filter((row) => row.late).map(({ offset }) => offset);
        const offsets = [...rows.steps, ...rows.step_faults].map(({ offset }) => offset);
        expect([...offsets, ...late, ...waiting].sort((a, b) => a - b)).toEqual(log.map(({ offset }) => offset));
      }),
      { numRuns: 150 },
    );
  });

  it('let no NaN out, and no advantage of a member without a valid reward', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { rows } = grow(plan).lane.effects();
        const isSound = (value: number | null | undefined) => value === null || Number.isFinite(value);
        for (const { value } of rows.rewards) expect(isSound(value)).toBe(true);
        for (const { trajectory } of rows.trajectories) {
          const { reward, advantage, group_stats, reward_components, verdicts, reward_valid } = trajectory;
          const numbers = [reward, advantage, group_stats?.mean ?? null, group_stats?.std ?? null];
          const named = [reward_components, ...(verdicts ?? []).map(({ rewards }) => rewards)];
          numbers.push(...named.flatMap((of) => Object.values(of ?? {})));
          expect(numbers.filter((value) => !isSound(value))).toEqual([]);
          expect(reward === null).toBe(!reward_valid);
          if (reward === null) expect(advantage).toBeNull();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('let no rollout be ready twice, whatever is repeated', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { lane } = grow([...plan, ...plan]);
        const ready = lane.effects().records.flatMap((record) => (record.topic === 'ready' ? [record.trajectory] : []));
        const rollouts = ready.map(({ rollout_id, group_id }) => `${group_id} ${rollout_id}`);
        expect(new Set(rollouts).size).toBe(rollouts.length);
      }),
    );
  });

  it('end loudly on what is no fault of a record', () => {
    const lane = createTestLane({
      stored: () => {
        throw new Error('no store');
      },
    });
    expect(() => lane.fold(attemptOf().start())).toThrow('no store');
  });
});
