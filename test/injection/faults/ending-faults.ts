import { known, resample } from '../rollout.ts';
import { anyTurn, type Fault, type Injected, someTurn, turnOf, want } from './fault.ts';

function ended(name: string): Injected {
  return { found: [want('termination', name, null, null)] };
}

/** What takes time and does not say when. */
function wall(name: string): Injected {
  return { found: [want('wall', name, null, null)] };
}

export const ENDING_FAULTS: readonly Fault[] = [
  {
    name: 'a rollout that is complete by its loop, whose last call was cut or aborted, contradicts itself (cases 75, 81)',
    inject(rollout, random) {
      const last = turnOf(rollout, rollout.turns.length - 1);
      last.finish = random.pick(['abort', 'length', '{"type": "abort", "message": "paused"}']);
      resample(rollout, last, false);
      return ended('termination_conflict');
    },
  },
  {
    name: 'a rollout that is complete by its loop, and that an exception ended, contradicts itself',
    inject(rollout) {
      rollout.end.exception = { type: 'ConnectionResetError', message: 'peer' };
      return ended('termination_conflict');
    },
  },
  {
    name: 'a step after the end is told (case 113)',
    inject(rollout) {
      rollout.edits.push((events) => {
        const end = events.findIndex(({ kind }) => kind === 'end');
        const { end: _, ...base } = known(events[end]);
        events.splice(end + 1, 0, {
          ...base,
          ...{ event_id: `${base.event_id} later`, seq: (base.seq ?? 0) + 1, kind: 'phase', phase: { phase: 'cpu' } },
          ...{ started_at: null, ended_at: null, duration_us: null },
        });
      });
      return ended('steps_after_end');
    },
  },
  {
    name: 'a reason that the taxonomy does not know stays unknown, and is told',
    inject(rollout, random) {
      rollout.end.reasons = [
        { raw: random.pick(['gremlins', 'finished-ish', 'TaskComplete!']), system: 'strands-env' },
      ];
      return ended('unknown_reason');
    },
  },
  {
    name: 'a verdict without a score that gives a reward contradicts itself (case 77)',
    inject(rollout) {
      rollout.verdict = { ...rollout.verdict, status: 'crash', rewards: { correct: 0 } };
      return ended('verdict_contradiction');
    },
  },
  {
    name: 'a verifier that gives two answers is told (cases 101, 103)',
    inject(rollout) {
      rollout.edits.push((events) => {
        const verdict = known(events.pop());
        const again = { ...known(verdict.verdict), rewards: { correct: 0.5 } };
        // Before the end: an attempt that is whole is decided by the first.
        events.splice(-2, 0, verdict, { ...verdict, event_id: `${verdict.event_id} again`, verdict: again });
      });
      return ended('verifier_nondeterministic');
    },
  },
  {
    name: 'a rollout that is complete by its loop, beyond the time it had, is told',
    inject(rollout) {
      rollout.start.limits = { max_wall_us: rollout.span.end - rollout.span.begin - 1 };
      return ended('overrun');
    },
  },
  {
    name: 'an end before the start is a clock that is off (case 125)',
    inject(rollout) {
      rollout.span.end = rollout.span.begin - 50_000;
      return { ...wall('clock_skew'), results: { wall: 'not_auditable' } };
    },
  },
  {
    name: 'a step that ends before it begins is a clock that is off (case 125)',
    inject(rollout, random) {
      const { span } = turnOf(rollout, anyTurn(rollout, random));
      span.end = span.begin - 50_000;
      return wall('clock_skew');
    },
  },
  {
    name: 'a step outside the start and the end is a clock that is off',
    inject(rollout, random) {
      const isBefore = random.chance(0.5);
      const span = isBefore ? turnOf(rollout, 0).span : turnOf(rollout, rollout.turns.length - 1).span;
      const length = span.end - span.begin;
      span.begin = isBefore ? rollout.span.begin - length - 5_000 : rollout.span.end + 5_000;
      span.end = span.begin + length;
      return wall('clock_skew');
    },
  },
  {
    name: 'a call and a tool at once overlap',
    models: ['qwen3', 'qwen2_5'],
    wishes: { least: 2, calls: true },
    inject(rollout, random) {
      const k = someTurn(rollout, random, ({ calls }) => calls.length > 0);
      const { span, calls } = turnOf(rollout, k);
      const result = known(known(calls[0]).results[0]);
      result.span.begin = span.end - 20_000;
      return wall('overlap');
    },
  },
  {
    name: 'work without times is not auditable',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      rollout.edits.push((events) => {
        const event = known(events.filter(({ kind }) => kind === 'model_call')[k]);
        Object.assign(event, { started_at: null, ended_at: null, duration_us: null });
        known(event.model_call).server_e2e_us = null;
      });
      return { found: [], results: { wall: 'not_auditable' } };
    },
  },
];
