import fc, { type Arbitrary } from 'fast-check';
import { sourceEndedEvent, weightsEvent } from '../../processors/control/control-event.ts';
import { sawOf } from '../../processors/model/attempt.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import { attemptOf, deadlineOf } from './events.ts';
import type { TestLane } from './harness.ts';

/** What may stand next in a log: an event of one of a few attempts, in any order, repeated or not; or something the lane writes. */
export type Step =
  | { readonly kind: 'event'; readonly event: StepEventInit }
  /** The first deadline that the lane could write now about its nth open attempt. */
  | { readonly kind: 'deadline'; readonly nth: number; readonly name: 'gap' | 'idle' | 'verdict_missing' | 'orphan' }
  | { readonly kind: 'group_incomplete'; readonly nth: number }
  | { readonly kind: 'source_ended'; readonly producer: string };

const ROLLOUTS = ['a', 'b', 'c'] as const;
const SHAPES = [
  { group_id: null, group_size: null },
  { group_id: 'unknown size', group_size: null },
  { group_id: 'of three', group_size: 3 },
] as const;

const event: Arbitrary<Step> = fc
  .record({
    rollout: fc.constantFrom(...ROLLOUTS),
    shape: fc.constantFrom(...SHAPES),
    attempt: fc.constantFrom(0, 0, 0, 1, 2),
    what: fc.constantFrom(
      'start',
      'start',
      'call 1',
      'call 1',
      'call 2',
      'end 2',
      'end 2',
      'end 3',
      'verdict',
      'verdict',
      'phase',
      'twin',
      'odd start',
    ),
    raw: fc.constantFrom('task_complete', 'task_complete', 'connection_error', 'auth_error', 'cancelled by nobody'),
    reward: fc.constantFrom(0, 1, Number.NaN, Number.NEGATIVE_INFINITY),
    version: fc.constantFrom('1', '1', '9', '10'),
    producer: fc.constantFrom('p', 'p', 'p', 'q'),
  })
  .map(({ rollout, shape, attempt, what, raw, reward, version, producer }) => {
    const { group_id, group_size } = shape;
    const rollout_id = `${rollout}/${group_id}`;
    const of = attemptOf({ rollout_id, attempt, group_id, group_size, producer_id: producer });
    const events: Record<string, () => StepEventInit> = {
      start: () => of.start(),
      'call 1': () => of.call(1),
      'call 2': () => of.call(2, { prompt_prefix_len: 5, prompt: [30], sampled: [31] }),
      'end 2': () => of.end(2, raw),
      'end 3': () => of.end(3, raw),
      verdict: () =>
        of.verdict(
          reward,
          { scorer_version: version },
          { producer_id: 'verifier', event_id: `${rollout_id}/${attempt}/verdict ${version} ${reward}` },
        ),
      // Another task, and another size than its group may have.
      'odd start': () => of.start({ task_id: 'another', ...(group_size !== null && { group_size: 2 }) }),
      phase: () => of.phase('clean-up', { phase: 'cleanup' }, { duration_us: 5 }),
      twin: () => of.call(1, { sampled: [99] }, { event_id: `${rollout_id}/${attempt}/another` }),
    };
    return { kind: 'event', event: (events[what] ?? events.start)?.() ?? of.start() };
  });

/** Calls are sampled by version 7, which may be announced, and aged, or not. */
const weights: Arbitrary<Step> = fc
  .record({
    version: fc.constantFrom('6', '7', '8', '9'),
    ordinal: fc.nat(5),
    lineage: fc.constantFrom('', '', 'rewound'),
    id: fc.nat(999),
  })
  .map(({ id, ...announced }) => ({ kind: 'event', event: weightsEvent('run', announced, `${id}`) }));

const noise: Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: weights },
  { weight: 6, arbitrary: event },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deadline' as const),
      nth: fc.nat(6),
      name: fc.constantFrom('gap' as const, 'idle' as const, 'verdict_missing' as const, 'orphan' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('group_incomplete' as const), nth: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('source_ended' as const), producer: fc.constantFrom('p', 'q') }),
  },
);

/** An attempt as it should be, most of the time. */
const script: Arbitrary<Step[]> = fc
  .record({
    rollout: fc.constantFrom(...ROLLOUTS),
    shape: fc.constantFrom(...SHAPES),
    attempt: fc.constantFrom(0, 0, 0, 1),
    raw: fc.constantFrom('task_complete', 'task_complete', 'task_complete', 'connection_error', 'auth_error'),
    reward: fc.constantFrom(0, 1),
    lost: fc.constantFrom(-1, -1, -1, 0, 1, 2, 3),
  })
  .map(({ rollout, shape, attempt, raw, reward, lost }) => {
    const of = attemptOf({ ...shape, rollout_id: `${rollout}/${shape.group_id}`, attempt, producer_id: 'p' });
    return of
      .whole(reward, raw)
      .filter((_, i) => i !== lost)
      .map((whole) => ({ kind: 'event', event: whole }) as const);
  });

/** Several attempts at once, with what goes wrong between their events. */
export const steps: Arbitrary<Step[]> = fc
  .tuple(
    fc.array(script, { maxLength: 7 }),
    fc.array(noise, { maxLength: 20 }),
    fc.array(fc.nat(99), { minLength: 48 }),
  )
  .map(([scripts, odd, picks]) => {
    const queues = [...scripts.map((script) => [...script]), [...odd]];
    const log: Step[] = [];
    for (let i = 0; queues.some((queue) => queue.length > 0); i++) {
      const alive = queues.filter((queue) => queue.length > 0);
      const next = alive[(picks[i % picks.length] ?? 0) % alive.length]?.shift();
      if (next !== undefined) log.push(next);
    }
    return log;
  });

/** The event of a step, as a lane in this state would write it; null: there is nothing to write about. */
export function eventOf(step: Step, lane: TestLane): StepEventInit | null {
  if (step.kind === 'event') return step.event;
  if (step.kind === 'source_ended') return sourceEndedEvent(step.producer, `${lane.position()}`);
  const units = [...lane.state.units.values()];
  if (step.kind === 'group_incomplete') {
    const unit = units.filter(({ size }) => size !== null)[step.nth];
    return unit === undefined ? null : deadlineOf('group_incomplete', { unit: unit.key, unit_start: unit.start });
  }
  const attempt = units.flatMap((unit) => [...unit.attempts.values()])[step.nth];
  if (attempt === undefined) return null;
  const { unit, rolloutId, number } = attempt;
  const about = { unit: unit.key, unit_start: unit.start, rollout_id: rolloutId, attempt: number };
  return deadlineOf(step.name, { ...about, saw: sawOf(attempt) });
}
