import { arithmetic } from '../tasks/arithmetic.ts';
import { COMPLETE } from './change.ts';
import { type EventCase, MORNING_MS, scored } from './trails.ts';

type Answers = readonly (readonly [thought: string, answer: string])[];

interface Group {
  readonly id: string;
  readonly prompt: string;
  readonly groundTruth: string;
  readonly answers: Answers;
}

/** A problem, its answer, and what its rollouts thought and answered: right ones get 1, others 0. */
function group(id: string, prompt: string, groundTruth: string, answers: Answers): Group {
  return { id, prompt, groundTruth, answers };
}

const GROUPS: readonly Group[] = [
  group('add-348', 'What is 348 + 275?', '623', [
    ['8 and 5 are 13, carry 1. 4 and 7 and 1 are 12, carry 1. 3 and 2 and 1 are 6.', '623'],
    ['348 and 200 are 548, and 75 more are 623.', '623'],
    ['8 and 5 are 13, 4 and 7 are 11, 3 and 2 are 5. With what is carried: 513.', '513'],
    ['350 and 275 are 625, less 2.', '623'],
  ]),
  group('mul-47', 'What is 47 × 38?', '1786', [
    ['47 times 40 is 1880, less 94.', '1786'],
    ['40 times 38 is 1520, 7 times 38 is 256. Together 1776.', '1776'],
    ['47 times 38 is about 50 times 38, so 1900, less 3 times 38, that is 114.', '1786'],
    ['47 times 30 is 1410, 47 times 8 is 366.', '1776'],
  ]),
  group('sub-1000', 'What is 1000 - 387?', '613', [
    ['From 387 to 400 it is 13, and 600 more to 1000.', '613'],
    ['1000 less 400 is 600, and 13 come back.', '613'],
    ['10 less 7 is 3, 10 less 8 is 2, 10 less 3 is 7.', '723'],
    ['999 less 387 is 612, and 1.', '613'],
  ]),
  group('div-84', 'How many times does 12 go into 1008?', '84', [
    ['12 times 80 is 960, 48 are left, that is 4 more.', '84'],
    ['1008 by 2 is 504, by 6 is 84.', '84'],
    ['12 times 90 is 1080, so 72 too many: 6 less.', '84'],
    ['100 by 12 is 8, the rest is 4, 48 by 12 is 4.', '84'],
  ]),
  group('percent-15', 'What is 15% of 260?', '39', [
    ['10% are 26, 5% are 13.', '39'],
    ['260 by 15 is about 17.3.', '17.3'],
    ['A tenth is 26, and half of it again is 12.', '38'],
    ['15 times 26 is 360, a tenth of it.', '36'],
  ]),
  group('square-23', 'What is 23 squared?', '529', [
    ['20 squared is 400, 3 squared is 9.', '409'],
    ['23 times 20 is 460, 23 times 3 is 69.', '529'],
    ['400, twice 60, and 9.', '529'],
    ['23 times 23: 3 times 3 is 9, 2 times 2 is 4. So 429 or so; 429.', '429'],
  ]),
  group('quarters-3', 'What is 3/4 of 56?', '42', [
    ['A quarter is 14, three of them are 42.', '42'],
    ['Half is 28, half of that is 14, together 42.', '42'],
    ['56 times 3 is 168, by 4 is 42.', '42'],
    ['56 by 3 is 18 and two thirds, times 4 is about 75.', '75'],
  ]),
  group('order-6', 'What is 6 + 4 × 7?', '34', [
    ['6 and 4 are 10, times 7.', '70'],
    ['The product first: 28, and 6.', '34'],
    ['10 times 7 is 70.', '70'],
    ['From left to right: 10, then 70.', '70'],
  ]),
  group('prime-90', 'What is the largest prime below 90?', '89', [
    ['89 is not divisible by 2, 3, 5 or 7.', '89'],
    ['87 is 3 times 29, 89 has no divisor up to 9.', '89'],
    ['89 looks like 7 times 13, so it is 83.', '83'],
    ['The last one I am sure of is 83.', '83'],
  ]),
  group('seconds-3', 'How many seconds are 3 hours and 20 minutes?', '12000', [
    ['200 minutes times 60.', '12000'],
    ['3 hours are 10800, 20 minutes are 1200.', '12000'],
    ['3.2 hours times 3600 is 11520.', '11520'],
    ['3 times 3600 is 10800, and 20 times 60 is 1200.', '12000'],
  ]),
  group('mean-5', 'What is the mean of 4, 9, 11, 6 and 15?', '9', [
    ['They add up to 45, by 5.', '9'],
    ['4 and 9 and 11 and 6 and 15 are 44, by 5 is 8.8.', '8.8'],
    ['The one in the middle is 9.', '9'],
    ['45 by 4 is 11.25.', '11.25'],
  ]),
  group('power-2', 'What is 2 to the power of 11?', '2048', [
    ['1024 is 2 to the 10th, twice that.', '2048'],
    ['2 times 11 is 22.', '22'],
    ['512, 1024, 2048: that is 9, 10, 11.', '2048'],
    ['2 to the 10th is 1000 and some; 1024.', '1024'],
  ]),
  group('digits-999', 'How many digits does 999 × 999 have?', '6', [
    ['It is nearly a million, and below: six.', '6'],
    ['Three and three digits are six.', '6'],
    ['1000 times 1000 has 7 digits, so 7.', '7'],
    ['998001.', '6'],
  ]),
  group('sum-100', 'What is the sum of the whole numbers from 1 to 99?', '4950', [
    ['100 times 101 by 2.', '5050'],
    ['Gauss: it is 5050.', '5050'],
    ['50 pairs of 101.', '5050'],
    ['99 times 50 is 4900 and 50, but with 100 it is 5050.', '5050'],
  ]),
  group('remainder-7', 'What is the remainder of 100 divided by 7?', '2', [
    ['7 times 14 is 98.', '2'],
    ['7 times 13 is 91, 9 are left.', '9'],
    ['100 by 7 is 14.28, so 0.28.', '0.28'],
    ['70, 28 more, 2 are left.', '2'],
  ]),
  group('speed-90', 'A train goes 90 km an hour. How many km does it go in 40 minutes?', '60', [
    ['40 minutes are two thirds of an hour.', '60'],
    ['1.5 km a minute, times 40.', '60'],
    ['0.4 hours times 90 is 36.', '36'],
    ['90 by 40 is 2.25.', '2.25'],
  ]),
];

const START_MS = MORNING_MS + 1_200_000;
/** From one group to the next, and from one of its rollouts to the next, ms. */
const GROUP_MS = 4_000;
const MEMBER_MS = 130;

/** A run that can be trained on as it is: every group is complete, and two of them are without spread. */
export const MATH_CASES: readonly EventCase[] = GROUPS.flatMap(({ id, prompt, groundTruth, answers }, at) =>
  answers.map(([think, answer], member): EventCase => {
    const reward = answer === groundTruth ? 1 : 0;
    return {
      task: arithmetic(id, prompt, groundTruth),
      plan: {
        runId: 'math',
        envName: 'arithmetic',
        weights: [[0, 0, 'step-0']],
        groupId: id,
        groupSize: answers.length,
        rolloutId: `${id}_${member}`,
        startMs: START_MS + at * GROUP_MS + member * MEMBER_MS,
        end: COMPLETE,
        after: [scored(reward, reward, 1)],
      },
      script: [{ think, say: `ANSWER: ${answer}` }],
    };
  }),
);
