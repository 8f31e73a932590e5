import { createEventLines } from './event-lines.ts';
import { SUMS_CASES, SUMS_TRUTH } from './groups/sums.ts';
import { createQwen } from './qwen.ts';

/** The files of examples/rescore that are made, path below it → content. The same bytes each time. */
export async function generateRescore(): Promise<Map<string, string>> {
  const lines = await createEventLines(createQwen())(SUMS_CASES);
  return new Map([
    ['sums/steps.jsonl', lines.map((line) => `${line}\n`).join('')],
    ['expected.jsonl', expectedLines()],
  ]);
}

/** A line a rollout: its reward by the wrong verifier and by the right one. */
function expectedLines(): string {
  return SUMS_TRUTH.map(
    ({ rolloutId, groupId, before, after }) =>
      `${JSON.stringify({ rollout_id: rolloutId, group_id: groupId, before, after })}\n`,
  ).join('');
}
