import type { Call } from '../script/script.ts';
import type { Task } from '../script/task.ts';

export const RECIPE: Task = {
  id: 'recipe-custard',
  system: 'Convert with the tool, never from memory. Give whole numbers, and put the final answer in \\boxed{}.',
  prompt: 'An American recipe wants the oven at 350 °F and 2.5 cups of milk. Which °C and how many ml is that?',
  groundTruth: '177, 591',
  tools: [
    {
      name: 'convert',
      description: 'Converts a value from one unit to another.',
      parameters: {
        type: 'object',
        properties: { value: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } },
        required: ['value', 'from', 'to'],
      },
    },
  ],
};

export function convert(value: number, from: string, to: string, output: string): Call {
  return { name: 'convert', args: { value, from, to }, output, ms: 6 };
}
