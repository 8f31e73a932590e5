import type { Script } from '../script/script.ts';
import { get, LAMP, list } from '../tasks/key-value.ts';
import { MAX_OUTPUT_TOKENS, type NemoOutcome } from '../write/nemo-row.ts';

export interface NemoCase {
  readonly outcome: NemoOutcome;
  readonly script: Script;
}

export const AGENT = 'kv_store_agent';

const LOOKUP = get('sku/LMP-204', LAMP);

export const STOCK_CASES: readonly NemoCase[] = [
  {
    outcome: { agent: AGENT, taskIndex: 0, rolloutIndex: 0, reward: 1 },
    script: [
      {
        think: 'I do not know how keys are named. List first.',
        calls: [list('sku/LMP', '["sku/LMP-110", "sku/LMP-204"]')],
      },
      { think: 'There it is.', calls: [LOOKUP] },
      { think: '37 minus 12 reserved leaves 25.', say: 'We can still sell 25 of LMP-204, from Rotterdam.' },
    ],
  },
  {
    outcome: { agent: AGENT, taskIndex: 0, rolloutIndex: 1, reward: 0 },
    script: [
      { think: 'The key is probably sku/LMP-204.', calls: [LOOKUP] },
      { think: 'Stock is 37.', say: 'There are 37 of LMP-204 to sell, in Rotterdam.' },
    ],
  },
  {
    outcome: { agent: AGENT, taskIndex: 0, rolloutIndex: 2, reward: 0, incomplete: 'max_output_tokens' },
    script: [
      { think: 'Look the SKU up.', calls: [LOOKUP] },
      {
        think:
          'Stock 37, reserved 12. Sellable could mean stock, or stock minus reserved. If reserved units are already counted out of stock it is 37, if not it is 25. The record does not say which. A reservation usually stays in stock until it ships, so it would be 25, but some systems move it at once, and then it would be 37. Let me think about what reserved means in this store',
        keepTokens: MAX_OUTPUT_TOKENS,
      },
    ],
  },
  {
    // The row ends on a tool's answer and nothing says why.
    outcome: { agent: AGENT, taskIndex: 0, rolloutIndex: 3, reward: 0 },
    script: [
      { think: 'Try the plain name.', calls: [get('LMP-204', 'no such key')] },
      { think: 'Perhaps with a prefix.', calls: [get('products/LMP-204', 'no such key')] },
    ],
  },
  {
    outcome: {
      agent: AGENT,
      taskIndex: 0,
      rolloutIndex: 4,
      attemptIndex: 0,
      failure: { class: 'sandbox', stage: 'agent', message: 'store container exited with code 137' },
    },
    script: [{ think: 'List the keys.', calls: [{ ...list('sku/', ''), output: null }] }],
  },
  {
    outcome: { agent: AGENT, taskIndex: 0, rolloutIndex: 4, attemptIndex: 1, reward: 1 },
    script: [
      { think: 'Read the SKU.', calls: [LOOKUP] },
      { think: 'Sellable is stock minus reserved: 25.', say: 'From Rotterdam, 25 more of LMP-204 can be sold.' },
    ],
  },
];
