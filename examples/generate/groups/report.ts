import { get, LATE_ORDERS_SQL, list } from '../tasks/key-value.ts';
import { AGENT, type NemoCase } from './stock.ts';

const REPORT_KEY = 'reports/late-orders';

/** " HAV" and "ING" as the tokenizer writes the word, and "H", "AVING" as the model sampled it: the same text. */
const HAVING = { instead: [72_239, 1_718], ids: [39, 83_722] };

export const REPORT_CASES: readonly NemoCase[] = [
  {
    outcome: { agent: AGENT, taskIndex: 1, rolloutIndex: 0, reward: 1 },
    script: [
      { think: 'Reports should be under reports/.', calls: [get(REPORT_KEY, LATE_ORDERS_SQL)] },
      { think: 'count(*) > 5.', say: 'The HAVING clause keeps customers with more than 5 late orders.' },
    ],
  },
  {
    outcome: { agent: AGENT, taskIndex: 1, rolloutIndex: 1, reward: 1 },
    script: [
      {
        think: 'Search for "HAVING" in the saved reports.',
        calls: [list('reports/', '["reports/late-orders", "reports/returns"]')],
        sampled: HAVING,
      },
      // The server kept the text and encoded it again: from here on the prompt is not what the model wrote.
      { think: 'Read the first one.', calls: [get(REPORT_KEY, LATE_ORDERS_SQL)], reencoded: true },
      { think: 'More than five.', say: 'Its threshold is 5.' },
    ],
  },
  {
    outcome: {
      agent: AGENT,
      taskIndex: 1,
      rolloutIndex: 2,
      reward: 0,
      failure: { class: 'judge_failed', stage: 'verify', message: 'judge model answered 503' },
    },
    script: [
      { think: 'Fetch the report.', calls: [get(REPORT_KEY, LATE_ORDERS_SQL)] },
      { think: 'The clause says > 5.', say: "The threshold of 'late-orders' is 5." },
    ],
  },
  {
    outcome: {
      agent: AGENT,
      taskIndex: 1,
      rolloutIndex: 3,
      failure: { class: 'stuck_in_loop', stage: 'agent', message: 'the same call three times' },
    },
    script: [
      { think: 'Read it.', calls: [get('late-orders', 'no such key')] },
      { think: 'It must exist.', calls: [get('late-orders', 'no such key')] },
      { think: 'Read it again.', calls: [get('late-orders', 'no such key')] },
    ],
  },
];
