import type { Script } from '../script/script.ts';
import { calculate } from '../tasks/calculator.ts';
import type { StrandsSample } from '../write/strands-line.ts';

export interface StrandsCase {
  readonly sample: StrandsSample;
  readonly script: Script;
}

const GOODS = '3 * 189.90 + 2 * 74.50';

export const INVOICE_CASES: readonly StrandsCase[] = [
  {
    sample: { id: 'invoice-1042_0', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      { think: 'First the goods, then take ten percent off.', calls: [calculate(GOODS, '718.7')] },
      { think: 'The order is 718.70. Ninety percent of that is due.', calls: [calculate('718.7 * 0.9', '646.83')] },
      { think: 'That is the amount.', say: 'After the 10% discount, 646.83 is left to pay.\n\nANSWER: 646.83' },
    ],
  },
  {
    sample: { id: 'invoice-1042_1', termination: 'task_complete', reward: { reward: 0, info: { matched: false } } },
    script: [
      {
        think: 'The discount is on the monitors, the docks are at full price.',
        calls: [calculate('3 * 189.90 * 0.9 + 2 * 74.50', '661.73')],
      },
      { think: 'So 661.73.', say: 'With 10% off the monitors the total is 661.73.\n\nANSWER: 661.73' },
    ],
  },
  {
    sample: {
      id: 'invoice-1042_2',
      termination: 'max_tokens_reached',
      reward: { reward: 0, info: { reason: 'answer_parse_failed' } },
    },
    script: [
      {
        think:
          'Let me do it by hand to be sure. 3 times 189.90: 3 times 189 is 567, 3 times 0.90 is 2.70, so 569.70. Two docks are 149.00. Together 718.70. Now ten percent. Wait, is the discount on the whole order or on each line? It says on the whole order. But if I take it from each line, 569.70 minus 56.97 is 512.73, and 149.00 minus 14.90 is 134.10. Let me check that again: 3 times 189.90',
        keepTokens: 96,
      },
    ],
  },
  {
    sample: { id: 'invoice-1042_3', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      { think: 'One expression will do.', calls: [calculate(`(${GOODS}) * 0.9`, '646.83')] },
      { think: 'Done in one go.', say: 'To pay: 646.83.\n\nANSWER: 646.83' },
    ],
  },
  {
    sample: { id: 'invoice-1042_4', termination: 'task_complete', reward: { reward: 1, info: { matched: true } } },
    script: [
      {
        think: 'Sum the lines and apply the discount.',
        // The two closing braces are missing: the loop's lenient parser added them, ran the call, and told nobody.
        text: `<think>\nSum the lines and apply the discount.\n</think>\n\n<tool_call>\n{"name": "calculator", "arguments": {"expression": "0.9 * (${GOODS})"\n</tool_call>`,
        calls: [calculate(`0.9 * (${GOODS})`, '646.83')],
      },
      { think: 'Good, the tool answered.', say: 'The amount due is 646.83.\n\nANSWER: 646.83' },
    ],
  },
];
