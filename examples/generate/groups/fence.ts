import { calculate, FENCE } from '../tasks/calculator.ts';
import { CALCULATOR_RUN } from './change.ts';
import { type EventCase, MORNING_MS, scored } from './trails.ts';

const MEMBER = { ...CALCULATOR_RUN, groupId: 'fence-40' } as const;
const START_MS = MORNING_MS + 1_020_000;

/** A group of unknown size: its members pass as they finish. Both met a limit that they had used up themselves. */
export const FENCE_CASES: readonly EventCase[] = [
  {
    // All but a few milliseconds of its three seconds it was writing.
    task: FENCE,
    plan: {
      ...MEMBER,
      rolloutId: 'fence-40_0',
      startMs: START_MS,
      timed: true,
      limits: { max_wall_us: 3_100_000 },
      end: {
        raw: 'timeout',
        system: 'strands-env',
        limit: { kind: 'wall_clock', limit: 3_100_000, used: 3_184_000 },
      },
      after: [scored(0, 0, 1)],
    },
    script: [
      {
        think:
          'The garden is 14 by 6. Is the gate within the fence or does it come on top? It says that the gate needs no fence, so I take it off. The long sides are 14 each, the short sides 6 each. But the house stands on one long side, so perhaps that side needs none. It does not say that the house is the fence. Let me read it again.',
        calls: [calculate('2 * (14 + 6)', '40')],
      },
      {
        think:
          'So 40 metres around. Now the gate. It is 1.5 metres wide. Or is it two gates? One gate, I think. Then again, a fence has posts, and between the posts it is sold by the metre, so it may have to be rounded up. I would rather work it out first.',
        calls: [calculate('40 - 1.5', '38.5')],
      },
    ],
  },
  {
    // Its turns were used up, and the harness asks no verifier then.
    task: FENCE,
    plan: {
      ...MEMBER,
      rolloutId: 'fence-40_1',
      startMs: START_MS + 500,
      limits: { max_turns: 2 },
      end: { raw: 'max_turns_reached', system: 'verifiers', limit: { kind: 'turns', limit: 2, used: 2 } },
      after: [{ verdict: 'not_run', report: { why: 'no answer' } }],
    },
    script: [
      { think: 'Around it first.', calls: [calculate('14 + 6', '20')] },
      { think: 'Twice that.', calls: [calculate('20 * 2', '40')] },
    ],
  },
];
