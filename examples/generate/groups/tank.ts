import { calculate } from '../tasks/calculator.ts';
import type { StrandsCase } from './invoice.ts';

export const TANK_CASES: readonly StrandsCase[] = [
  {
    sample: { id: 'tank-77_0', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      { think: 'Net rate first.', calls: [calculate('2400 / (85 - 5)', '30.0')] },
      { think: 'Thirty minutes.', say: 'At 80 litres a minute the tank is full after 30 minutes.\n\nANSWER: 30' },
    ],
  },
  {
    // The environment has no reward function for this split: nothing was judged.
    sample: { id: 'tank-77_1', termination: 'task_complete', reward: null },
    script: [
      {
        think: 'The pump wins 80 litres each minute.',
        calls: [calculate('85 - 5', '80'), calculate('2400 / 80', '30.0')],
      },
      { think: 'Both agree.', say: 'It takes half an hour.\n\nANSWER: 30' },
    ],
  },
  {
    sample: {
      id: 'tank-77_2',
      termination: 'timeout',
      reward: { reward: 0, info: { reason: 'no_final_response' } },
      lastToolsAnswered: false,
    },
    script: [
      {
        think: 'I will simulate it in steps of one minute.',
        calls: [calculate('sum(85 - 5 for m in range(30))', '2400')],
      },
      { think: 'Now check that 29 minutes are not enough.', calls: [calculate('sum(85 - 5 for m in range(29))', '')] },
    ],
  },
  {
    sample: {
      id: 'tank-77_3',
      termination: 'max_tool_calls_reached',
      reward: { reward: 0, info: { reason: 'no_final_response' } },
    },
    script: [
      { think: 'After 10 minutes?', calls: [calculate('10 * 80', '800')] },
      { think: 'Not yet. After 20?', calls: [calculate('20 * 80', '1600')] },
      { think: 'Still not. After 25?', calls: [calculate('25 * 80', '2000')] },
      { think: 'Closer. After 28?', calls: [calculate('28 * 80', '2240')] },
    ],
  },
  {
    // The judge model timed out inside the reward function, which answers 0.0 for everything that goes wrong.
    sample: {
      id: 'tank-77_4',
      termination: 'task_complete',
      reward: {
        reward: 0,
        info: { status: 'error', error_type: 'judge_error', message: 'judge did not answer in 30 s' },
      },
    },
    script: [
      { think: '2400 litres at 80 a minute.', calls: [calculate('2400 / 80', '30.0')] },
      { think: 'Simple enough.', say: 'The tank is full after 30 minutes.\n\nANSWER: 30' },
    ],
  },
  {
    sample: {
      id: 'tank-77_5',
      termination: 'connection_error',
      aborted: true,
      reward: { reward: 0, info: { reason: 'no_final_response' } },
    },
    script: [],
  },
  {
    sample: { id: 'tank-77_5', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      { think: 'Subtract the leak from the pump.', calls: [calculate('85 - 5', '80')] },
      { think: 'Divide.', calls: [calculate('2400 / 80', '30.0')] },
      { think: 'That is all.', say: 'Full after 30 minutes.\n\nANSWER: 30' },
    ],
  },
];

/** Its line is torn: the evaluator was killed while it rewrote the file. */
export const TORN_CASE: StrandsCase = {
  sample: { id: 'tank-77_6', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
  script: [
    { think: 'Rate, then time.', calls: [calculate('2400 / 80', '30.0')] },
    { think: 'Right.', say: 'Thirty minutes.\n\nANSWER: 30' },
  ],
};
