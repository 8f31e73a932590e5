// The same as verifier.py, for who has no Python: node examples/rescore/verifier.js
import { createInterface } from 'node:readline';

/** The number; null: it is none. Like Python's Fraction it throws where the denominator is 0. */
function fractionOf(text) {
  const match = /^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:\/(\d+))?$/i.exec(text.replaceAll(',', ''));
  if (match === null) return null;
  if (match[2] !== undefined && Number(match[2]) === 0) throw new RangeError(`${text} is no number`);
  return Number(match[1]) / Number(match[2] ?? 1);
}

function judge({ final_response, task }) {
  const answer = (final_response ?? '').split('ANSWER:').at(-1).trim();
  if (answer.startsWith('in ')) return { refuse: `the answer is ${answer}, which only the sandbox has` };
  const value = fractionOf(answer);
  if (value === null) return { rewards: { correct: 0 }, report: `'${answer}' is no number` };
  const truth = fractionOf(task.ground_truth);
  return { rewards: { correct: value === truth ? 1 : 0 }, report: `${value} for ${truth}` };
}

process.stdout.write(`${JSON.stringify({ scorer: 'sums', version: '2' })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, input } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id, ...judge(input) })}\n`);
}
