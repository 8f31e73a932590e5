import type { Call } from '../script/script.ts';
import type { Task, ToolDefinition } from '../script/task.ts';

const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'kv_get',
    description: 'Reads one key of the store.',
    parameters: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  },
  {
    name: 'kv_list',
    description: 'Lists the keys that begin with a prefix.',
    parameters: { type: 'object', properties: { prefix: { type: 'string' } }, required: ['prefix'] },
  },
];

const SYSTEM = 'You answer questions from a key-value store. Look things up, do not guess, and answer in one sentence.';

export const STOCK: Task = {
  id: 'stock-lmp-204',
  system: SYSTEM,
  prompt: 'How many of SKU LMP-204 can we still sell, and from which warehouse?',
  groundTruth: '25, Rotterdam',
  tools: TOOLS,
};

export const REPORT: Task = {
  id: 'report-late-orders',
  system: SYSTEM,
  prompt: "What threshold does the HAVING clause of the saved report 'late-orders' use?",
  groundTruth: '5',
  tools: TOOLS,
};

export const LAMP = '{"sku": "LMP-204", "warehouse": "Rotterdam", "stock": 37, "reserved": 12}';
export const LATE_ORDERS_SQL =
  'SELECT customer, count(*) FROM orders WHERE shipped > due GROUP BY customer HAVING count(*) > 5';

export function get(key: string, output: string | null): Call {
  return { name: 'kv_get', args: { key }, output };
}

export function list(prefix: string, output: string): Call {
  return { name: 'kv_list', args: { prefix }, output };
}
