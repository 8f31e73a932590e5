import { convert, RECIPE } from '../tasks/recipe.ts';
import type { StrandsCase } from './invoice.ts';

const OVEN = convert(350, 'fahrenheit', 'celsius', '176.667');
const MILK = convert(2.5, 'us_cup', 'ml', '591.471');

export const RECIPE_CASES: readonly StrandsCase[] = [
  {
    sample: { id: `${RECIPE.id}_0`, termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      { think: 'Two conversions, they do not depend on each other.', calls: [OVEN, MILK] },
      { think: '176.667 rounds to 177 and 591.471 to 591.', say: 'Oven at 177 °C, 591 ml of milk: \\boxed{177, 591}' },
    ],
  },
  {
    // The run was resumed without --keep-rollout: from here on the file holds no tokens.
    sample: {
      id: `${RECIPE.id}_1`,
      termination: 'task_complete',
      reward: { reward: 1, info: { matched: true } },
      withoutTokens: true,
    },
    script: [
      { think: 'Temperature first.', calls: [OVEN] },
      { think: 'Then the milk.', calls: [MILK] },
      { think: 'Round both.', say: '\\boxed{177, 591}' },
    ],
  },
  {
    sample: {
      id: `${RECIPE.id}_2`,
      termination: 'unclassified_error',
      reward: { reward: 0, info: { reason: 'no_final_response' } },
      lastToolsAnswered: false,
    },
    script: [{ think: 'Ask for both values at once.', calls: [OVEN, convert(2.5, 'cups', 'ml', '')] }],
  },
  {
    sample: {
      id: `${RECIPE.id}_3`,
      termination: 'max_tool_iterations_reached',
      reward: { reward: 0, info: { reason: 'no_final_response' } },
    },
    script: [
      { think: 'Convert the milk.', calls: [convert(2.5, 'cup', 'ml', 'ambiguous unit cup: us_cup or metric_cup?')] },
      { think: 'It is a normal cup.', calls: [convert(2.5, 'cups', 'ml', 'unknown unit cups')] },
      { think: 'Try the singular.', calls: [convert(2.5, 'cup', 'ml', 'ambiguous unit cup: us_cup or metric_cup?')] },
      { think: 'Once more.', calls: [convert(2.5, 'Cup', 'ml', 'unknown unit Cup')] },
    ],
  },
  {
    sample: {
      id: `${RECIPE.id}_4`,
      termination: 'task_complete',
      reward: { reward: 0, info: { reason: 'answer_parse_failed', response: 'one hundred seventy-seven' } },
    },
    script: [
      { think: 'Both at once.', calls: [OVEN, MILK] },
      {
        think: 'I will write the numbers out nicely.',
        say: 'Set the oven to one hundred seventy-seven degrees and take five hundred ninety-one millilitres.',
      },
    ],
  },
];
