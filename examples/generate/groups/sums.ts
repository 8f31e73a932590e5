import { createRandom } from '../random.ts';
import { arithmetic } from '../tasks/arithmetic.ts';
import { COMPLETE } from './change.ts';
import { type EventCase, MORNING_MS } from './trails.ts';

/**
 * What a member answers. Right, and written as the ground truth is; right, and written otherwise; wrong; wrong, but its last
 * letters are those of the ground truth; in a file that only the sandbox has; a fraction that no number is.
 */
type Kind = 'right' | 'rewritten' | 'wrong' | 'same_end' | 'in_file' | 'by_zero';

/** What one verifier said and the other will; null: no score. */
export interface SumTruth {
  readonly rolloutId: string;
  readonly groupId: string;
  readonly before: number;
  /** refused: it cannot tell, so that the whole group stays as it was. */
  readonly after: number | null | 'refused';
}

const MIXED: readonly Kind[] = ['rewritten', 'rewritten', 'right', 'wrong'];
const TAKEN_IN: readonly Kind[] = ['rewritten', 'rewritten', 'same_end', 'wrong'];
const ALL_RIGHT: readonly Kind[] = ['rewritten', 'rewritten', 'rewritten', 'rewritten'];
const BOTH_WAYS: readonly Kind[] = ['rewritten', 'same_end', 'right', 'wrong'];
const AS_BEFORE: readonly Kind[] = ['right', 'wrong', 'right', 'wrong'];

/** Sixteen groups, of whose rewards 12 + 12 + 12 + 4 + 0 = 40 are wrong. */
const ROUND: readonly (readonly Kind[])[] = [
  ...[MIXED, TAKEN_IN, ALL_RIGHT, MIXED, BOTH_WAYS, TAKEN_IN, MIXED, AS_BEFORE],
  ...[MIXED, ALL_RIGHT, TAKEN_IN, MIXED, BOTH_WAYS, ALL_RIGHT, TAKEN_IN, MIXED],
];
/** 5 × 40 wrong rewards, then a group that the right verifier refuses, and one that it dies on. */
const GROUPS: readonly (readonly Kind[])[] = [
  ...[ROUND, ROUND, ROUND, ROUND, ROUND].flat(),
  ['rewritten', 'right', 'wrong', 'in_file'],
  ['right', 'right', 'wrong', 'by_zero'],
];

const AFTER: Readonly<Record<Kind, number | null>> = {
  right: 1,
  rewritten: 1,
  wrong: 0,
  same_end: 0,
  in_file: null,
  by_zero: null,
};

function answerOf(kind: Kind, sum: number, place: number): string {
  const written: Readonly<Record<Kind, readonly string[]>> = {
    right: [`${sum}`],
    rewritten: [`${sum}.0`, `${sum}.00`, `${sum * 2}/2`, `${(sum / 100).toFixed(2)}e2`],
    wrong: [`${sum + 10}`, `${sum - 1}`, `${sum}0`],
    same_end: [`-${sum}`, `1${sum}`],
    in_file: ['in sum.txt'],
    by_zero: [`${sum}/0`],
  };
  const forms = written[kind];
  return forms[place % forms.length] ?? '';
}

/** The verifier with the bug: it takes an answer for right by its last letters, so that `= 623` is, and `623.0` is not. */
function wrongReward(answer: string, groundTruth: string): number {
  return answer.endsWith(groundTruth) ? 1 : 0;
}

const START_MS = MORNING_MS + 7_200_000;
const GROUP_MS = 4_000;
const MEMBER_MS = 130;
const random = createRandom('sums');

const MEMBERS = GROUPS.flatMap((kinds, at) => {
  const [left, right] = [100 + Math.floor(random() * 400), 100 + Math.floor(random() * 400)];
  const groupId = `sum-${String(at).padStart(2, '0')}`;
  return kinds.map((kind, member) => ({
    ...{ kind, left, right, groupId, rolloutId: `${groupId}_${member}` },
    answer: answerOf(kind, left + right, at + member),
    startMs: START_MS + at * GROUP_MS + member * MEMBER_MS,
    isRefused: kinds.includes('in_file'),
  }));
});

/** A run whose verdicts are those of a verifier with a bug. */
export const SUMS_CASES: readonly EventCase[] = MEMBERS.map(
  ({ left, right, groupId, rolloutId, answer, startMs }): EventCase => {
    const groundTruth = `${left + right}`;
    const reward = wrongReward(answer, groundTruth);
    return {
      task: arithmetic(groupId, `What is ${left} + ${right}?`, groundTruth),
      plan: {
        runId: 'sums',
        envName: 'arithmetic',
        weights: [[0, 0, 'step-0']],
        ...{ groupId, groupSize: 4, rolloutId, startMs },
        end: { ...COMPLETE, finalResponse: `ANSWER: ${answer}` },
        after: [{ verdict: 'scored', reward, report: { answer, groundTruth }, scorer: ['sums', '1'] }],
      },
      script: [{ think: `${left} and ${right}.`, say: `ANSWER: ${answer}` }],
    };
  },
);

/** By how the answers were made, not by any verifier. */
export const SUMS_TRUTH: readonly SumTruth[] = MEMBERS.map(
  ({ kind, groupId, rolloutId, isRefused }): SumTruth => ({
    ...{ rolloutId, groupId },
    before: kind === 'right' || kind === 'same_end' ? 1 : 0,
    after: isRefused ? 'refused' : AFTER[kind],
  }),
);
