import { calculate, DIGITS } from '../tasks/calculator.ts';
import { CALCULATOR_RUN, COMPLETE } from './change.ts';
import { type EventCase, MORNING_MS, scored } from './trails.ts';

const MEMBER = { ...CALCULATOR_RUN, groupId: 'digits-17', groupSize: 3 } as const;
const START_MS = MORNING_MS + 960_000;

/** 512 tokens beyond DAPO's 16,384: an eighth of its buffer of 4,096. */
const OVERLONG_TOKENS = 16_896;

/** A group of three that is complete: right, wrong, and one that counted by hand until its tokens were used up. */
export const DIGITS_CASES: readonly EventCase[] = [
  {
    task: DIGITS,
    plan: { ...MEMBER, rolloutId: 'digits-17_0', startMs: START_MS, end: COMPLETE, after: [scored(1, 1, 1)] },
    script: [
      {
        think:
          'Three digits that add up to 17: 19 over 2 is 171, less 3 times 36 with a digit above nine, is 63. With a 1 in front three digits have to give 16: 153 less 84 is 69. 2000 has 2.',
        calls: [calculate('63 + 69', '132')],
      },
      { think: 'Both added.', say: 'There are 132 of them.\n\nANSWER: 132' },
    ],
  },
  {
    task: DIGITS,
    plan: { ...MEMBER, rolloutId: 'digits-17_1', startMs: START_MS + 400, end: COMPLETE, after: [scored(0, 0, 1)] },
    script: [
      {
        think: 'Below 1000 there are 63, and from 1000 on as many again.',
        calls: [calculate('2 * 63', '126')],
      },
      { think: 'So 126.', say: 'It is twice 63.\n\nANSWER: 126' },
    ],
  },
  {
    task: DIGITS,
    plan: {
      ...MEMBER,
      rolloutId: 'digits-17_2',
      startMs: START_MS + 810,
      maxTokens: OVERLONG_TOKENS,
      lastFinish: { type: 'length', length: OVERLONG_TOKENS },
      end: {
        raw: 'max_tokens_reached',
        system: 'strands-env',
        limit: { kind: 'tokens', limit: OVERLONG_TOKENS, used: OVERLONG_TOKENS },
      },
      after: [scored(0, 0, 1)],
    },
    script: [{ think: `I go through them one by one. ${everyDigitSum()}`, keepTokens: OVERLONG_TOKENS }],
  },
];

function everyDigitSum(): string {
  const sums = Array.from({ length: 2_000 }, (_, index) => {
    const digits = `${index + 1}`;
    const sum = [...digits].reduce((total, digit) => total + Number(digit), 0);
    return `${digits} has ${sum}${sum === 17 ? ', that is one' : ''}.`;
  });
  return sums.join(' ');
}
