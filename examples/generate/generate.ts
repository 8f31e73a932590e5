import { createEventLines } from './event-lines.ts';
import { CHANGE_CASES } from './groups/change.ts';
import { DIGITS_CASES } from './groups/digits.ts';
import { EVAL_CASES } from './groups/eval.ts';
import { FENCE_CASES } from './groups/fence.ts';
import { INVOICE_CASES, type StrandsCase } from './groups/invoice.ts';
import { MATH_CASES } from './groups/math.ts';
import { RECIPE_CASES } from './groups/recipe.ts';
import { NOTES_CASES } from './groups/release-notes.ts';
import { NOTES_AGAIN_CASES } from './groups/release-notes-again.ts';
import { REPORT_CASES } from './groups/report.ts';
import { type NemoCase, STOCK_CASES } from './groups/stock.ts';
import { TANK_CASES, TORN_CASE } from './groups/tank.ts';
import { TIMEOUT_CASES } from './groups/timeout.ts';
import { TRAILS_CASES } from './groups/trails.ts';
import { play } from './play.ts';
import { createQwen } from './qwen.ts';
import { createRandom } from './random.ts';
import type { Task } from './script/task.ts';
import { INVOICE, TANK } from './tasks/calculator.ts';
import { REPORT, STOCK } from './tasks/key-value.ts';
import { RECIPE } from './tasks/recipe.ts';
import { nemoRow } from './write/nemo-row.ts';
import { type StrandsShape, strandsLine } from './write/strands-line.ts';

/** How much of the torn line reached the disk. */
const TORN_BYTES = 1_517;

/** All example files, path below examples/rollouts → content. The same bytes each time. */
export async function generateExamples(): Promise<Map<string, string>> {
  const qwen = createQwen();
  const eventLines = createEventLines(qwen);

  async function strandsLines(shape: StrandsShape, task: Task, cases: readonly StrandsCase[]): Promise<string[]> {
    return mapInOrder(cases, async ({ sample, script }) => {
      const random = createRandom(`${sample.id} ${sample.termination}`);
      return JSON.stringify(strandsLine(shape, task, await play(qwen, task, script, random), sample, random));
    });
  }

  async function nemoRows(task: Task, cases: readonly NemoCase[], failed: boolean): Promise<string[]> {
    const chosen = cases.filter(({ outcome }) => (outcome.failure !== undefined) === failed);
    return mapInOrder(chosen, async ({ outcome, script }) => {
      const random = createRandom(`${task.id} ${outcome.rolloutIndex} ${outcome.attemptIndex ?? 0}`);
      return JSON.stringify(nemoRow(task, await play(qwen, task, script, random), outcome, random));
    });
  }

  const invoice = await strandsLines('current', INVOICE, INVOICE_CASES);
  const calculator = [...invoice, ...invoice.slice(3, 4), ...(await strandsLines('current', TANK, TANK_CASES))];
  const [torn] = await strandsLines('current', TANK, [TORN_CASE]);
  const kv = async (failed: boolean) => [
    ...(await nemoRows(STOCK, STOCK_CASES, failed)),
    ...(await nemoRows(REPORT, REPORT_CASES, failed)),
  ];
  return new Map([
    ['calculator-strands/results.jsonl', joinLines(calculator) + (torn ?? '').slice(0, TORN_BYTES)],
    ['recipe-strands/results.jsonl', joinLines(await strandsLines('released', RECIPE, RECIPE_CASES))],
    ['kv-nemo/rollouts.jsonl', joinLines(await kv(false))],
    ['kv-nemo/rollouts_failures.jsonl', joinLines(await kv(true))],
    [
      'files-events/steps.jsonl',
      joinLines(await eventLines([...TRAILS_CASES, ...TIMEOUT_CASES, ...NOTES_CASES, ...NOTES_AGAIN_CASES])),
    ],
    ['calculator-events/steps.jsonl', joinLines(await eventLines([...CHANGE_CASES, ...DIGITS_CASES, ...FENCE_CASES]))],
    ['calculator-eval/steps.jsonl', joinLines(await eventLines(EVAL_CASES))],
    ['math/steps.jsonl', joinLines(await eventLines(MATH_CASES))],
  ]);
}

async function mapInOrder<T, U>(items: readonly T[], each: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
