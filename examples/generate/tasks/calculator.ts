import type { Call } from '../script/script.ts';
import type { Task, ToolDefinition } from '../script/task.ts';

const CALCULATOR: ToolDefinition = {
  name: 'calculator',
  description: 'Evaluates an arithmetic expression.',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

const SYSTEM =
  'Use the calculator for every sum, even an easy one. Finish with one line: ANSWER, a colon, and the number alone.';

export const INVOICE: Task = {
  id: 'invoice-1042',
  system: SYSTEM,
  prompt:
    'Invoice 1042 lists 3 monitors at 189.90 each and 2 docks at 74.50 each. There is a 10% discount on the whole order. What is left to pay?',
  groundTruth: '646.83',
  tools: [CALCULATOR],
};

export const TANK: Task = {
  id: 'tank-77',
  system: SYSTEM,
  prompt:
    'An empty tank holds 2400 litres. A pump fills it at 85 litres a minute while a leak loses 5 litres a minute. After how many minutes is it full?',
  groundTruth: '30',
  tools: [CALCULATOR],
};

export const TICKETS: Task = {
  id: 'tickets-3',
  system: SYSTEM,
  prompt: 'A museum sold 48 tickets at 12 euros and 31 reduced tickets at 7.50 euros. How much did it take?',
  groundTruth: '808.5',
  tools: [CALCULATOR],
};

export const CHANGE: Task = {
  id: 'change-20',
  system: SYSTEM,
  prompt: 'A loaf costs 3.40 euros, a roll 0.55. What is the change from 20 euros for a loaf and two rolls?',
  groundTruth: '15.5',
  tools: [CALCULATOR],
};

export const DIGITS: Task = {
  id: 'digits-17',
  system: SYSTEM,
  prompt: 'How many whole numbers from 1 to 2000 have digits that add up to 17?',
  groundTruth: '132',
  tools: [CALCULATOR],
};

export const FENCE: Task = {
  id: 'fence-40',
  system: SYSTEM,
  prompt:
    'A garden of 14 by 6 metres gets a fence all around. Its gate, 1.5 metres wide, needs none. How many metres of fence?',
  groundTruth: '38.5',
  tools: [CALCULATOR],
};

export function calculate(expression: string, output: string, ms = 9): Call {
  return { name: 'calculator', args: { expression }, output, ms };
}
